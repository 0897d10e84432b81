/**
 * `@svc/testing`: fakes and builders for applications that embed svc. Contract suites are on the subpath
 * `./contracts`, the simulator is on `./simulator`.
 */

export { buildId } from './build-id.ts'
export { FAKE_START, FakeClock, type Step } from './fake-clock.ts'
export { FakeIds } from './fake-ids.ts'
export { FakeTimers } from './fake-timers.ts'
export { buildAccessSession } from './hosts/access/build-access-session.ts'
export { buildCatalogEntry, buildOrder } from './hosts/provisioning/build-order.ts'
export { DigitalOceanFake } from './hosts/provisioning/digitalocean-fake.ts'
export {
  bodyText,
  DROPPED,
  type FakeAnswer,
  type FakeFault,
  FakeProvider,
  type FakeRequest,
  type FakeServer,
  fakeOutbound,
} from './hosts/provisioning/fake-provider.ts'
export { HetznerFake } from './hosts/provisioning/hetzner-fake.ts'
export { leaksIn } from './leaks.ts'
export { memoryStorage } from './memory-storage.ts'
export { buildLicense } from './people/licenses/build-license.ts'
export { oneTimeCode } from './people/second-factors/one-time-code.ts'
export { buildTenant } from './people/tenants/build-tenant.ts'
export { buildUser } from './people/users/build-user.ts'
export { quickPasswordHash } from './people/users/quick-password-hash.ts'
export { embeddedFolder, pgliteStorage } from './pglite-storage.ts'
export { buildAuditEntry } from './platform/operations/build-audit-entry.ts'
export { migratedDatabase, postgresStorage, type TestDatabase, testDatabase } from './postgres-storage.ts'
export { buildCheckout, buildPaymentEvent, buildSubscription } from './reach/billing/build-billing.ts'
export { ScriptedPaymentProvider } from './reach/billing/scripted-payment-provider.ts'
export { buildBrowserRun, buildBrowserToken } from './reach/browser/build-browser-token.ts'
export { ScriptedBrowser, type ScriptedPage } from './reach/browser/scripted-browser.ts'
export { buildAnswer, buildConversation, buildMessage } from './reach/chat/build-conversation.ts'
export { ScriptedModel } from './reach/chat/scripted-model.ts'
export { buildEmailDomain } from './reach/email/build-email-domain.ts'
export { buildEmailKey, buildEmailMessage } from './reach/email/build-email-message.ts'
export { buildEndpoint } from './reach/webhooks/build-endpoint.ts'
export { type LogLevel, type RecordedLine, RecordingLog } from './recording-log.ts'
export { TEST_ENVIRONMENT, type TestPlane, type TestPlaneOverrides, testPlane } from './test-plane.ts'
export { buildMonitor } from './watch/monitors/build-monitor.ts'
export { SCRIPTED_SERVER, ScriptedDns } from './watch/monitors/scripted-dns.ts'
export { type LeftAlso, nothingLeft, whatIsLeft } from './what-is-left.ts'
export { buildHeartbeat } from './work/agents/build-heartbeat.ts'
export { buildApp } from './work/apps/build-app.ts'
export { buildDeployment } from './work/deployments/build-deployment.ts'
export { buildGitDelivery, buildGitHook } from './work/git/build-git-hook.ts'
export { buildUsage } from './work/host-usage/build-usage.ts'
export { buildJob } from './work/jobs/build-job.ts'
