import { createHttpApp } from '@store/shared/http/app';
import { sendProblem } from '@store/shared/http/problem';
import type { Logger } from '@store/shared/observability/log';
import type { Service, StatelessDefinition } from '@store/shared/service/service';
import cookieParser from 'cookie-parser';
import express from 'express';
import { createAuthClient } from './access/auth-client.ts';
import { basePath, localOnly, pageHeaders, sameOrigin, sessionRequired, withoutOperator } from './access/guard.ts';
import { pages } from './access/pages-router.ts';
import { referencePage } from './access/reference-router.ts';
import { sessionRoutes } from './access/routes.ts';
import { createSessions } from './access/session.ts';
import { accountPageRoutes } from './accounts/routes.ts';
import { auditPageRoutes } from './audit/routes.ts';
import { bookPageRoutes } from './books/routes.ts';
import { cataloguePageRoutes } from './catalogue/routes.ts';
import { type ConsoleConfig, configSchema } from './config.ts';
import { createDeadLetters } from './dead-letters/dead-letters.ts';
import { deadLetterPageRoutes } from './dead-letters/routes.ts';
import { machineRoutes } from './machines/routes.ts';
import { mailPageRoutes } from './mails/routes.ts';
import { createOrderPages } from './orders/order-pages.ts';
import { orderPageRoutes } from './orders/routes.ts';
import { createServices } from './services-client.ts';
import { createHistory } from './watch/history.ts';
import { createPrometheusAlerts } from './watch/prometheus-client.ts';
import { nowRoutes } from './watch/routes.ts';
import { watching, watchingAlerts } from './watch/watch.ts';
import { webhookPageRoutes } from './webhooks/routes.ts';

/** The order matters: first refuse strangers, then changes from other pages, then requests below /api without a session. */
export function createConsole(
  { config, log }: { config: ConsoleConfig; log: Logger },
  { history = createHistory(), alerts = createPrometheusAlerts(config) } = {},
): Service {
  const services = createServices(config.SERVICES, config.INTERNAL_CREDENTIAL);
  const sessions = createSessions(config.CONSOLE_TOKEN, createAuthClient(config.SERVICES.get('auth')));
  const letters = createDeadLetters(services, config.GROUPS, log);
  const routes = [
    ...sessionRoutes(sessions, log),
    ...nowRoutes(history, alerts),
    ...orderPageRoutes(createOrderPages(services, letters), log),
    ...deadLetterPageRoutes(letters),
    ...mailPageRoutes(services),
    ...accountPageRoutes(services, log),
    ...machineRoutes(services, log),
    ...webhookPageRoutes(services, log),
    ...auditPageRoutes(services, config.AUDITED),
    ...bookPageRoutes(services, log),
    ...cataloguePageRoutes(services, config.STORE_CURRENCY, log),
  ];
  const app = express();
  app.disable('x-powered-by');
  app.use(pageHeaders, localOnly, sameOrigin, cookieParser(), withoutOperator);
  app.use(`${basePath}/api`, sessionRequired(sessions));
  if (config.APP_PROFILE === 'dev') app.use(`${basePath}/reference`, referencePage);
  app.use(basePath, pages, createHttpApp({ title: 'Console', routes, log, config }));
  app.get('/', (_req, res) => res.redirect(`${basePath}/`));
  app.use((req, res) => sendProblem(req, res, 404, { detail: `The console is at ${basePath}/.` }));
  return { app, jobs: [watching(history, services, config), watchingAlerts(alerts)] };
}

export const consoleService: StatelessDefinition<typeof configSchema> = {
  name: 'console',
  configSchema,
  build: (context) => createConsole(context),
};
