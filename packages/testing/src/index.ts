/**
 * `@svc/testing`: fakes and builders for applications that embed svc. Contract suites are on the subpath
 * `./contracts`, the simulator is on `./simulator`.
 */
export { buildAccessSession } from './access/build-access-session.ts'
export { buildHeartbeat } from './agents/build-heartbeat.ts'
export { buildCheckout, buildPaymentEvent, buildSubscription } from './billing/build-billing.ts'
export { ScriptedPaymentProvider } from './billing/scripted-payment-provider.ts'
export { buildBrowserRun, buildBrowserToken } from './browser/build-browser-token.ts'
export { ScriptedBrowser, type ScriptedPage } from './browser/scripted-browser.ts'
export { buildId } from './build-id.ts'
export { buildAnswer, buildConversation, buildMessage } from './chat/build-conversation.ts'
export { ScriptedModel } from './chat/scripted-model.ts'
export { buildDeployment } from './deployments/build-deployment.ts'
export { buildEmailDomain } from './email/build-email-domain.ts'
export { buildEmailKey, buildEmailMessage } from './email/build-email-message.ts'
export { FAKE_START, FakeClock, type Step } from './fake-clock.ts'
export { FakeIds } from './fake-ids.ts'
export { FakeTimers } from './fake-timers.ts'
export { buildGitDelivery, buildGitHook } from './git/build-git-hook.ts'
export { buildJob } from './jobs/build-job.ts'
export { leaksIn } from './leaks.ts'
export { buildLicense } from './licenses/build-license.ts'
export { memoryStorage } from './memory-storage.ts'
export { buildMonitor } from './monitors/build-monitor.ts'
export { SCRIPTED_SERVER, ScriptedDns } from './monitors/scripted-dns.ts'
export { buildAuditEntry } from './operations/build-audit-entry.ts'
export { embeddedFolder, pgliteStorage } from './pglite-storage.ts'
export { migratedDatabase, postgresStorage, type TestDatabase, testDatabase } from './postgres-storage.ts'
export { buildCatalogEntry, buildOrder } from './provisioning/build-order.ts'
export { DigitalOceanFake } from './provisioning/digitalocean-fake.ts'
export {
  bodyText,
  DROPPED,
  type FakeAnswer,
  type FakeFault,
  FakeProvider,
  type FakeRequest,
  type FakeServer,
  fakeOutbound,
} from './provisioning/fake-provider.ts'
export { HetznerFake } from './provisioning/hetzner-fake.ts'
export { type LogLevel, type RecordedLine, RecordingLog } from './recording-log.ts'
export { oneTimeCode } from './second-factors/one-time-code.ts'
export { buildTenant } from './tenants/build-tenant.ts'
export { TEST_ENVIRONMENT, type TestPlane, type TestPlaneOverrides, testPlane } from './test-plane.ts'
export { buildUser } from './users/build-user.ts'
export { quickPasswordHash } from './users/quick-password-hash.ts'
export { buildEndpoint } from './webhooks/build-endpoint.ts'
export { type LeftAlso, nothingLeft, whatIsLeft } from './what-is-left.ts'
