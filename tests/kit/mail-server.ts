import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

interface Mail {
  to: string[];
  /** As it was sent. */
  source: string;
}

/** A mail server for all tests of a file. It keeps the mails of the current test. */
export function useMailServer() {
  /**
   * `refusals` are the codes with which it refuses the next mails, with `reason`; it accepts later ones. If `recipients` is set, it
   * answers every recipient with it and accepts none. It accepts no mail before `ready`.
   */
  const server = {
    url: '',
    mails: [] as Mail[],
    refusals: [] as number[],
    reason: 'Not this one',
    recipients: '',
    ready: Promise.resolve(),
  };
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_, __, done) {
      done(server.recipients === '' ? null : Object.assign(new Error(server.recipients), { responseCode: 550 }));
    },
    async onData(stream, { envelope }, done) {
      const source = await textOf(stream);
      await server.ready;
      const responseCode = server.refusals.shift();
      if (responseCode !== undefined) return done(Object.assign(new Error(server.reason), { responseCode }));
      server.mails.push({ to: envelope.rcptTo.map(({ address }) => address), source });
      done();
    },
  });
  smtp.on('error', () => undefined);
  beforeAll(async () => {
    smtp.listen(0, '127.0.0.1');
    await once(smtp.server, 'listening');
    server.url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    Object.assign(server, {
      mails: [],
      refusals: [],
      reason: 'Not this one',
      recipients: '',
      ready: Promise.resolve(),
    });
  });
  afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())));
  return Object.assign(server, {
    /** The first mail, as its reader sees it. */
    read: () => simpleParser(server.mails[0]?.source ?? ''),
    readAll: () => Promise.all(server.mails.map(({ source }) => simpleParser(source))),
  });
}
