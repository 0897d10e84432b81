import { BILLING_SETTINGS } from '../../test/support/scripted-billing.ts'

/** Settings that open every route: requests get as far as they can. */
export const OPEN_SETTINGS = {
  SERVICE_PUBLIC_URL: 'https://svc.example',
  RELAY_MODE: 'external',
  RELAY_URL: 'wss://relay.example',
  EMAIL_SMTP_URL: 'smtps://relay.example',
  EMAIL_SYSTEM_FROM: 'alerts@svc.example',
  ...BILLING_SETTINGS,
}
