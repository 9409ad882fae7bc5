import { importTokenKey } from '@store/shared/auth/token-keys';
import { runService } from '@store/shared/service/run-service';
import { createAccountClient } from './account-client.ts';
import { createApp } from './app.ts';
import { configSchema } from './config.ts';
import { createTokenCookie } from './token-cookie.ts';
import { createTokens } from './tokens.ts';

await runService('auth', configSchema, async ({ config, log }) => {
  const ttlSeconds = config.JWT_TTL_SECONDS;
  return {
    app: createApp({
      accounts: createAccountClient({ url: config.ACCOUNT_URL }),
      tokens: createTokens({
        key: await importTokenKey(config.JWT_SECRET_KEY),
        previousKeys: await Promise.all(config.JWT_PREVIOUS_SECRET_KEYS.map(importTokenKey)),
        ttlSeconds,
      }),
      cookie: createTokenCookie({
        httpOnly: config.JWT_HTTP_ONLY,
        sameSite: config.COOKIE_SAME_SITE,
        secure: config.COOKIE_SECURE,
        maxAgeSeconds: ttlSeconds,
      }),
      log,
      production: config.APP_PROFILE === 'prod',
    }),
  };
});
