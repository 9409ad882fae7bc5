import { call } from '../api/call.ts';
import { useLive } from '../api/live.ts';
import { ageOf, Badge, money, Problem, Time } from '../parts/parts.tsx';

/** An order, what it waits for, and what has happened to it. */
export function Order({ id }: { id: string }) {
  const { data, problem } = useLive(id, () => call('get', '/api/orders/{id}', { path: { id } }));
  if (data === undefined) return <Problem text={problem} />;
  const { order, timeline, waitingFor, problems, letters } = data;
  return (
    <>
      <Problem text={problem} />
      <section class="card" aria-label="Order">
        <h2>
          Order <code>{id}</code>
        </h2>
        <p>
          <Badge text={order.status} /> {money(order.total)},{' '}
          {order.items.length === 1 ? '1 product' : `${order.items.length} products`}, placed {ageOf(order.createdAt)}{' '}
          ago
        </p>
        {problems.map((text) => (
          <Problem key={text} text={text} />
        ))}
        <h3>Waits for</h3>
        {waitingFor.length === 0 ? (
          <p role="status">
            {problems.length === 0 ? 'Nothing: the order is done.' : 'Not known: a service does not answer.'}
          </p>
        ) : (
          <div role="status">
            <ul>
              {waitingFor.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </div>
        )}
        {letters.length > 0 && (
          <p>
            <a href={`#/dead-letters?${id}`}>To the dead letters of this order</a>
          </p>
        )}
      </section>
      <section class="card" aria-label="Timeline">
        <h2>Timeline</h2>
        <ol class="timeline">
          {timeline.map(({ at, service, text, detail, traceId }) => (
            <li key={`${at} ${service} ${text}`}>
              <Time at={at} precise /> <strong>{service}</strong> <span>{text}</span>
              {(detail || traceId) && (
                <details>
                  <summary>Details</summary>
                  <pre>{detail}</pre>
                  {traceId && (
                    <p>
                      Trace <code>{traceId}</code>
                    </p>
                  )}
                </details>
              )}
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}
