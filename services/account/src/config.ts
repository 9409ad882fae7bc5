import {
  bearerConfig,
  calleeConfig,
  mailerConfig,
  operatorConfig,
  requireAllCredentials,
} from '@store/shared/auth/config';
import { databaseConfig } from '@store/shared/database/config';
import { messagingConfig } from '@store/shared/messaging/config';
import { configOf } from '@store/shared/service/config';
import { serviceUrl } from '@store/shared/values/environment';
import { wholeNumber } from '@store/shared/values/fields';
import type { z } from 'zod';

export const configSchema = configOf({
  ...bearerConfig,
  ...calleeConfig,
  ...operatorConfig,
  ...mailerConfig,
  ...databaseConfig,
  ...messagingConfig,
  AUTH_URL: serviceUrl.describe('Address of auth'),
  ORDER_URL: serviceUrl.describe('Address of order'),
  INVOICE_URL: serviceUrl.describe('Address of invoice'),
  NOTIFICATION_URL: serviceUrl.describe('Address of notification'),
  PAYMENT_URL: serviceUrl.describe('Address of payment'),
  INVENTORY_URL: serviceUrl.describe('Address of inventory'),
  PASSWORD_MIN_LENGTH: wholeNumber(1, 128)
    .optional()
    .describe('Minimum length of a new password, 1 to 128; default: 1 in profile dev, 8 in prod'),
}).apply(requireAllCredentials);

export type AccountConfig = z.output<typeof configSchema>;
