import { SqlAccessSessionsStore } from '../access/access-sessions-store-sql.ts'
import { SqlAgentsStore } from '../agents/agents-store-sql.ts'
import { SqlAlertsStore } from '../alerts/alerts-store-sql.ts'
import { SqlAlertDeliveriesStore } from '../alerts/delivery/alert-deliveries-store-sql.ts'
import { SqlAlertFactsStore } from '../alerts/rules/alert-facts-store-sql.ts'
import { SqlApiTokensStore } from '../api-tokens/api-tokens-store-sql.ts'
import { SqlBillingStore } from '../billing/billing-store-sql.ts'
import { SqlPaymentEventsStore } from '../billing/payment-events-store-sql.ts'
import { SqlBrowserStore } from '../browser/browser-store-sql.ts'
import { SqlConversationsStore } from '../chat/conversations-store-sql.ts'
import type { Session } from '../database/session.ts'
import { SqlDeliveriesStore } from '../deliveries/deliveries-store-sql.ts'
import { SqlDeploymentsStore } from '../deployments/deployments-store-sql.ts'
import { SqlEmailDomainsStore } from '../email/domains/email-domains-store-sql.ts'
import { SqlEmailKeysStore } from '../email/keys/email-keys-store-sql.ts'
import { SqlRemindersStore } from '../email/reminders/reminders-store-sql.ts'
import { SqlEmailMessagesStore } from '../email/sending/email-messages-store-sql.ts'
import { SqlEmailSuppressionsStore } from '../email/sending/email-suppressions-store-sql.ts'
import { SqlGitHooksStore } from '../git/git-hooks-store-sql.ts'
import { SqlImagesStore } from '../images/images-store-sql.ts'
import { SqlJobsStore } from '../jobs/jobs-store-sql.ts'
import { SqlLicensesStore } from '../licenses/licenses-store-sql.ts'
import { SqlMonitorsStore } from '../monitors/monitors-store-sql.ts'
import { SqlAuditStore } from '../operations/audit-store-sql.ts'
import { SqlProvisioningStore } from '../provisioning/provisioning-store-sql.ts'
import { SqlSchedulerStore } from '../scheduler/scheduler-store-sql.ts'
import { SqlSecondFactorsStore } from '../second-factors/second-factors-store-sql.ts'
import { SqlSecretsStore } from '../secrets/secrets-store-sql.ts'
import { SqlSessionsStore } from '../sessions/sessions-store-sql.ts'
import { SqlSurfaceScansStore } from '../surface/surface-scans-store-sql.ts'
import { SqlSurfaceTargetsStore } from '../surface/surface-targets-store-sql.ts'
import { SqlTransferKeysStore } from '../transfer-keys/transfer-keys-store-sql.ts'
import { SqlUsersStore } from '../users/users-store-sql.ts'

/** The stores of the features that are not objects of their own yet. */
export const stores = (session: Session) => ({
  accessSessions: new SqlAccessSessionsStore(session),
  agents: new SqlAgentsStore(session),
  alertDeliveries: new SqlAlertDeliveriesStore(session),
  alertFacts: new SqlAlertFactsStore(session),
  alerts: new SqlAlertsStore(session),
  apiTokens: new SqlApiTokensStore(session),
  audit: new SqlAuditStore(session),
  billing: new SqlBillingStore(session),
  browser: new SqlBrowserStore(session),
  conversations: new SqlConversationsStore(session),
  deliveries: new SqlDeliveriesStore(session),
  deployments: new SqlDeploymentsStore(session),
  emailDomains: new SqlEmailDomainsStore(session),
  emailKeys: new SqlEmailKeysStore(session),
  emailMessages: new SqlEmailMessagesStore(session),
  emailSuppressions: new SqlEmailSuppressionsStore(session),
  reminders: new SqlRemindersStore(session),
  images: new SqlImagesStore(session),
  gitHooks: new SqlGitHooksStore(session),
  jobs: new SqlJobsStore(session),
  licenses: new SqlLicensesStore(session),
  monitors: new SqlMonitorsStore(session),
  paymentEvents: new SqlPaymentEventsStore(session),
  provisioning: new SqlProvisioningStore(session),
  scheduler: new SqlSchedulerStore(session),
  secondFactors: new SqlSecondFactorsStore(session),
  secrets: new SqlSecretsStore(session),
  sessions: new SqlSessionsStore(session),
  surfaceScans: new SqlSurfaceScansStore(session),
  surfaceTargets: new SqlSurfaceTargetsStore(session),
  transferKeys: new SqlTransferKeysStore(session),
  users: new SqlUsersStore(session),
})
