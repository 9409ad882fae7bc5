import { readConfig } from '@store/shared/values/environment';
import { configSchema } from '../../src/config.ts';

const needed = { DATABASE_URL: 'postgresql://a:b@c/d', KAFKA_BROKERS: 'a:1', CONSUMER_GROUP: 'analytics-group' };

it.each([
  ['an unknown group', { CONSUMER_GROUP: 'nobody' }, 'CONSUMER_GROUP: must be one of analytics-group, '],
  ['an invalid mail server', { SMTP_URL: 'x' }, 'SMTP_URL: must be smtp://host:port or '],
  ['invoices without orders', { CONSUMER_GROUP: 'invoice-group' }, 'ORDER_URL is not set'],
  ['webhooks without orders', { CONSUMER_GROUP: 'webhook-group' }, 'ORDER_URL is not set'],
  ['webhooks without keys', { CONSUMER_GROUP: 'webhook-group', ORDER_URL: 'http://order' }, 'WEBHOOK_KEYS is not set'],
  ['a short key', { WEBHOOK_KEYS: 'c2hvcnQ=' }, 'WEBHOOK_KEYS: must be at least 32 bytes'],
  ['mails without accounts', { CONSUMER_GROUP: 'notification-group' }, 'ACCOUNT_URL is not set'],
])('the configuration of consumers refuses %s', (_, env, sentence) => {
  expect(() => readConfig(configSchema, { ...needed, ...env })).toThrow(sentence);
  expect(() => readConfig(configSchema, needed)).not.toThrow();
});
