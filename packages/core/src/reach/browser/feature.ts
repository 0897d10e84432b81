import type { Ids } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import type { LicenseStanding } from '../../people/licenses/license.ts'
import type { Config } from '../../platform/config/config.ts'
import { featureOf } from '../../platform/feature.ts'
import type { Resolver } from '../../platform/net/dns.ts'
import { systemResolver } from '../../platform/net/dns-system.ts'
import { PageGuard } from '../../platform/net/page-guard.ts'
import type { LanguageModel } from '../chat/answer/language-model.ts'
import { BrowserMetrics } from './browser-metrics.ts'
import { browserOperations } from './browser-operations.ts'
import type { BrowserEngine } from './browser-page.ts'
import { BrowserTokens } from './browser-tokens.ts'
import { BrowserWorker } from './browser-worker.ts'
import * as settings from './settings.ts'

/** Parts of a browser. Its calls go through the guard. */
export interface BrowserEngineTools {
  readonly guard: PageGuard
  readonly config: Config
  readonly ids: Ids
  readonly log: Log
}

/** Makes the browser of a plane. Nothing is started before the first page. */
export type BrowserEngineMaker = (tools: BrowserEngineTools) => BrowserEngine

/** The tools and services that the browser worker uses. */
export interface BrowserNeeds {
  readonly parts: {
    readonly browserEngine?: BrowserEngineMaker
    readonly resolver?: Resolver
  }
  readonly outside: { readonly agentModel: LanguageModel | undefined }
  readonly licenses: LicenseStanding
}
/** The services of the browser worker. */
export interface BrowserServices {
  readonly browserTokens: BrowserTokens
  readonly browserWorker: BrowserWorker
}

/** Pages that the service opens for others. */
export const browser = featureOf<BrowserNeeds>()({
  settings,
  sql: () => import('./browser-store-sql.ts'),
  services: (base, { parts, licenses, outside }): BrowserServices => {
    const { config, ids, log } = base
    const guard = pageGuard(config, parts)
    return {
      browserTokens: new BrowserTokens({ ...base, licenses }),
      browserWorker: new BrowserWorker({
        ...base,
        guard,
        engine: parts.browserEngine?.({ guard, config, ids, log }),
        model: outside.agentModel,
        metrics: new BrowserMetrics(base.metrics),
      }),
    }
  },
  operations: browserOperations,
  purge: ({ browserTokens }) => browserTokens.purge(),
})

/** Makes the guard of pages from the settings. */
export function pageGuard(
  { outbound, browser }: Config,
  { resolver }: { readonly resolver?: Resolver } = {},
) {
  const ports = browser.ports.map(Number)
  return new PageGuard({ resolver: resolver ?? systemResolver(), ports, ...outbound })
}
