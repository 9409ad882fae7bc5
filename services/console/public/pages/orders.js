import { call, useLive } from '../api.js';
import { ageOf, Badge, money, Problem, Time } from '../parts.js';
import { html, useState } from '../vendor/preact.js';

/** @param id of the order that is shown; undefined: only the search */
export function Orders({ id }) {
  const [sought, setSought] = useState('');
  const [found, setFound] = useState(undefined);
  const [problem, setProblem] = useState(undefined);

  async function search(event) {
    event.preventDefault();
    setFound(undefined);
    try {
      const orders = await call('GET', `/api/orders?search=${encodeURIComponent(sought.trim())}`);
      setProblem(undefined);
      if (orders.length === 1) location.hash = `#/orders/${orders[0].id}`;
      else setFound(orders);
    } catch (error) {
      setProblem(error.message);
    }
  }

  return html`<h1>Orders</h1>
    <form class="search" role="search" onSubmit=${search}>
      <label for="sought">Order id or e-mail address</label>
      <input id="sought" value=${sought} onInput=${({ target }) => setSought(target.value)} autocomplete="off" spellcheck="false" required />
      <button type="submit">Find</button>
    </form>
    <${Problem} text=${problem} />
    ${found && html`<${Found} orders=${found} />`}
    ${id && html`<${Order} id=${id} key=${id} />`}`;
}

function Found({ orders }) {
  if (orders.length === 0) return html`<p role="status">No order was found.</p>`;
  return html`<section class="card" aria-label="Orders found">
    <h2>${orders.length} orders</h2>
    <table>
      <thead><tr><th>Order</th><th>Status</th><th>Total</th><th>Placed</th></tr></thead>
      <tbody>
        ${orders.map(
          ({ id, status, total, createdAt }) => html`<tr key=${id}>
            <th scope="row"><a href=${`#/orders/${id}`}><code>${id}</code></a></th>
            <td data-label="Status"><${Badge} text=${status} /></td>
            <td data-label="Total">${money(total)}</td>
            <td data-label="Placed"><${Time} at=${createdAt} /></td>
          </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function Order({ id }) {
  const { data, problem } = useLive(`/api/orders/${encodeURIComponent(id)}`);
  if (data === undefined) return html`<${Problem} text=${problem} />`;
  const { order, timeline, waitingFor, problems, letters } = data;
  return html`<${Problem} text=${problem} />
    <section class="card" aria-label="Order">
      <h2>Order <code>${id}</code></h2>
      <p><${Badge} text=${order.status} /> ${money(order.total)}, ${order.items.length === 1 ? '1 product' : `${order.items.length} products`}, placed ${ageOf(order.createdAt)} ago</p>
      ${problems.map((text) => html`<${Problem} text=${text} />`)}
      <h3>Waits for</h3>
      ${
        waitingFor.length === 0
          ? html`<p role="status">${problems.length === 0 ? 'Nothing: the order is done.' : 'Not known: a service does not answer.'}</p>`
          : html`<ul role="status">${waitingFor.map((text) => html`<li>${text}</li>`)}</ul>`
      }
      ${letters.length > 0 && html`<p><a href=${`#/dead-letters?${id}`}>To the dead letters of this order</a></p>`}
    </section>
    <section class="card" aria-label="Timeline">
      <h2>Timeline</h2>
      <ol class="timeline">
        ${timeline.map(
          ({ at, service, text, detail, traceId }) => html`<li>
            <${Time} at=${at} precise /> <strong>${service}</strong>${' '}
            <span>${text}</span>
            ${
              (detail || traceId) &&
              html`<details>
              <summary>Details</summary>
              <pre>${detail}</pre>
              ${traceId && html`<p>Trace <code>${traceId}</code></p>`}
            </details>`
            }
          </li>`,
        )}
      </ol>
    </section>`;
}
