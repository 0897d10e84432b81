import type { SettingGroup } from './setting-group.ts'
import { access } from './settings/access.ts'
import { alerts } from './settings/alerts.ts'
import { billing } from './settings/billing.ts'
import { browser } from './settings/browser.ts'
import { chat } from './settings/chat.ts'
import { database } from './settings/database.ts'
import { email } from './settings/email.ts'
import { git } from './settings/git.ts'
import { health } from './settings/health.ts'
import { hosts } from './settings/hosts.ts'
import { http } from './settings/http.ts'
import { images } from './settings/images.ts'
import { jobs } from './settings/jobs.ts'
import { licensing } from './settings/licensing.ts'
import { limits } from './settings/limits.ts'
import { llm } from './settings/llm.ts'
import { metrics } from './settings/metrics.ts'
import { monitors } from './settings/monitors.ts'
import { nodeSecurity } from './settings/node-security.ts'
import { outbound } from './settings/outbound.ts'
import { provisioning } from './settings/provisioning.ts'
import { relay } from './settings/relay.ts'
import { scheduler } from './settings/scheduler.ts'
import { secondFactors } from './settings/second-factors.ts'
import { secrets } from './settings/secrets.ts'
import { service } from './settings/service.ts'
import { sessions } from './settings/sessions.ts'
import { signing } from './settings/signing.ts'
import { surface } from './settings/surface.ts'
import { transfers } from './settings/transfers.ts'
import { webhooks } from './settings/webhooks.ts'

/**
 * Every setting of the service, by group, in the order of the reference. `Config`, its reader, the reference
 * and the report derive from it. A group is one file of `settings/` and one name here.
 */
export const settings = {
  service,
  http,
  database,
  licensing,
  signing,
  hosts,
  nodeSecurity,
  jobs,
  images,
  transfers,
  surface,
  scheduler,
  limits,
  outbound,
  alerts,
  webhooks,
  metrics,
  health,
  sessions,
  secondFactors,
  secrets,
  monitors,
  email,
  billing,
  git,
  chat,
  llm,
  browser,
  provisioning,
  relay,
  access,
} as const satisfies Readonly<Record<string, SettingGroup>>
