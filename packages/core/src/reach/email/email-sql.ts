import type { Session } from '../../platform/database/session.ts'
import type { EmailDomainsStore } from './domains/email-domains-store.ts'
import * as domains from './domains/email-domains-store-sql.ts'
import type { EmailKeysStore } from './keys/email-keys-store.ts'
import * as keys from './keys/email-keys-store-sql.ts'
import type { RemindersStore } from './reminders/reminders-store.ts'
import * as reminders from './reminders/reminders-store-sql.ts'
import type { EmailMessagesStore } from './sending/email-messages-store.ts'
import * as messages from './sending/email-messages-store-sql.ts'
import type { EmailSuppressionsStore } from './sending/email-suppressions-store.ts'
import * as suppressions from './sending/email-suppressions-store-sql.ts'

export { entities } from './email-tables-sql.ts'

/** The stores of email. */
export interface EmailStores {
  readonly emailDomains: EmailDomainsStore
  readonly emailKeys: EmailKeysStore
  readonly emailMessages: EmailMessagesStore
  readonly emailSuppressions: EmailSuppressionsStore
  readonly reminders: RemindersStore
}

/** Returns the stores of email. */
export const stores = (session: Session): EmailStores => ({
  ...domains.stores(session),
  ...keys.stores(session),
  ...messages.stores(session),
  ...suppressions.stores(session),
  ...reminders.stores(session),
})
