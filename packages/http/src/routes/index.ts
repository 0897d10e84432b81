import type { Route } from '../exchange/route.ts'
import { accessRoutes } from './access.ts'
import { accountRoutes } from './account.ts'
import { alertRoutes } from './alerts.ts'
import { attackSurfaceRoutes } from './attack-surface.ts'
import { billingRoutes } from './billing.ts'
import { browserRoutes } from './browser.ts'
import { chatRoutes } from './chat.ts'
import { claimRoute } from './claim.ts'
import { copyRoutes } from './copies.ts'
import { deployLogsRoute } from './deploy-logs.ts'
import { emailAlertRoutes } from './email-alerts.ts'
import { emailDomainRoutes } from './email-domains.ts'
import { emailKeyRoutes } from './email-keys.ts'
import { emailSendRoute } from './email-send.ts'
import { fleetRoutes } from './fleet.ts'
import { gitHookRoutes } from './git-hooks.ts'
import { gitWebhookRoute } from './git-webhook.ts'
import { healthRoutes } from './health.ts'
import { imageRoute } from './images.ts'
import { jobCancelRoute } from './job-cancel.ts'
import { jobLogsRoute } from './job-logs.ts'
import { jobStatusRoute } from './job-status.ts'
import { keyRoutes } from './keys.ts'
import { licenseRoutes } from './license.ts'
import { licensedRoutes } from './licensed.ts'
import { metricsRoutes } from './metrics.ts'
import { monitorRoutes } from './monitors.ts'
import { nodeSecurityRoutes } from './node-security.ts'
import { operationRoutes } from './operations.ts'
import { provisioningRoute } from './provisioning.ts'
import { remoteOperationRoutes } from './remote-operations.ts'
import { secondFactorRoutes } from './second-factor.ts'
import { sessionRoutes } from './session.ts'
import { systemRoute } from './system.ts'
import { telemetryRoutes } from './telemetry.ts'
import { transferKeyRoute } from './transfer-keys.ts'
import { webhookRoutes } from './webhooks.ts'

/** All routes of the public surface. */
export const ROUTES: readonly Route[] = [
  ...licenseRoutes,
  ...telemetryRoutes,
  claimRoute,
  jobStatusRoute,
  jobLogsRoute,
  jobCancelRoute,
  imageRoute,
  transferKeyRoute,
  ...licensedRoutes,
  ...fleetRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...gitHookRoutes,
  gitWebhookRoute,
  ...nodeSecurityRoutes,
  ...attackSurfaceRoutes,
  provisioningRoute,
  ...healthRoutes,
  systemRoute,
  ...metricsRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...accountRoutes,
  ...secondFactorRoutes,
  deployLogsRoute,
  ...emailAlertRoutes,
  ...emailDomainRoutes,
  ...emailKeyRoutes,
  emailSendRoute,
  ...billingRoutes,
  ...monitorRoutes,
  ...accessRoutes,
  ...chatRoutes,
  ...browserRoutes,
  ...remoteOperationRoutes,
]

/** All routes of the control socket. */
export const CONTROL_ROUTES: readonly Route[] = [
  ...operationRoutes,
  ...copyRoutes,
  ...healthRoutes,
  ...metricsRoutes,
]
