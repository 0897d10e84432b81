import { BrowserMetrics } from '../browser/browser-metrics.ts'
import type { BrowserEngine } from '../browser/browser-page.ts'
import { BrowserTokens } from '../browser/browser-tokens.ts'
import { BrowserWorker } from '../browser/browser-worker.ts'
import type { Config } from '../config/config.ts'
import type { ControlPlaneParts } from '../control-plane.ts'
import type { Ids } from '../ids.ts'
import type { LicenseStanding } from '../licenses/license.ts'
import type { Log } from '../log.ts'
import { systemResolver } from '../net/dns-system.ts'
import { PageGuard } from '../net/page-guard.ts'
import type { Base } from './base.ts'
import { modelOf } from './chat.ts'

/** Parts of a browser. Its calls go through the guard. */
export interface BrowserEngineTools {
  readonly guard: PageGuard
  readonly config: Config
  readonly ids: Ids
  readonly log: Log
}

/** Makes the browser of a plane. Nothing is started before the first page. */
export type BrowserEngineMaker = (tools: BrowserEngineTools) => BrowserEngine

/** Wires the browser worker. */
export function browserOf(base: Base, parts: ControlPlaneParts, licenses: LicenseStanding) {
  const { config, ids, log } = base
  const guard = pageGuard(config, parts)
  return {
    browserTokens: new BrowserTokens({ ...base, licenses }),
    browserWorker: new BrowserWorker({
      ...base,
      guard,
      engine: parts.browserEngine?.({ guard, config, ids, log }),
      model: parts.agentModel ?? parts.languageModel ?? modelOf(base),
      metrics: new BrowserMetrics(base.metrics),
    }),
  }
}

/** Makes the guard of pages from the settings. */
export function pageGuard(
  { outbound, browser }: Config,
  { resolver }: Pick<ControlPlaneParts, 'resolver'> = {},
) {
  const ports = browser.ports.map(Number)
  return new PageGuard({ resolver: resolver ?? systemResolver(), ports, ...outbound })
}
