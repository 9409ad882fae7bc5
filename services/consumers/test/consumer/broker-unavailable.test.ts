import { connect } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';
import { brokers } from '../../../../tests/kit/kafka/topic.ts';
import { until } from '../../../../tests/kit/until.ts';
import { anEvent, createFixture, type Fixture } from './_fixture.ts';

let fixture: Fixture;

afterEach(() => fixture.close());

/** The API key of FindCoordinator in the Kafka protocol. It follows the four bytes of the length. */
const findCoordinator = 10;

// KafkaJS gives up for good when no broker names the group's coordinator, as happens while a broker starts.
test('a consumer keeps trying while no broker names the coordinator of its group (it once ended the process)', async () => {
  fixture = await createFixture();
  let refused = 0;
  let isStarting = true;
  const kafka = new Kafka({
    brokers,
    clientId: 'test',
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, maxRetryTime: 100, retries: 2 },
    socketFactory({ host, port, onConnect }) {
      const socket = connect(port, host, onConnect);
      const write = socket.write.bind(socket) as (bytes: Buffer) => boolean;
      socket.write = (bytes: unknown) => {
        if (!isStarting || !Buffer.isBuffer(bytes) || bytes.readInt16BE(4) !== findCoordinator)
          return write(bytes as Buffer);
        refused += 1;
        socket.destroy(new Error('connection closed'));
        return false;
      };
      return socket;
    },
  });
  fixture.start(undefined, { connect: () => kafka });
  await until('requests for the coordinator have failed', () => refused > 3);
  isStarting = false;

  const event = anEvent();
  await fixture.publish(event);
  await fixture.has(event);
}, 120_000);
