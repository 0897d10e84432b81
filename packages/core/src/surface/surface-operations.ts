import { defaulted, optional } from 'superstruct'
import type { Licenses } from '../licenses/licenses.ts'
import { operationOf } from '../operations/operation.ts'
import { Problem } from '../problem.ts'
import type { Scope } from '../scope.ts'
import { flag, listOf, oneOf, text, whole } from '../validation.ts'
import type { Surface } from './surface.ts'
import { domainField, SCAN_FIELDS } from './surface-fields.ts'
import { FINDING_STATUSES } from './surface-finding.ts'
import {
  findingView,
  SURFACE_SHAPES,
  scanHead,
  scanView,
  seenTargetView,
  targetView,
} from './surface-view.ts'

/** The part of `Surface` that operations use. */
export type OperatedSurface = Pick<
  Surface,
  'abort' | 'add' | 'find' | 'findings' | 'last' | 'list' | 'remove' | 'scan' | 'seen' | 'start' | 'verify'
>

/** The services that operations on scans use. */
export interface SurfaceUses {
  readonly licenses: Pick<Licenses, 'resolve'>
  readonly surface: OperatedSurface
}

const operation = operationOf<SurfaceUses>()

const ANY = Number.POSITIVE_INFINITY
const license = optional(text(1, 512))
const { target, seenTarget, finding, head, scan } = SURFACE_SHAPES

const owner = async (
  scope: Scope,
  { licenses }: SurfaceUses,
  given: string | undefined,
): Promise<string | undefined> => (given === undefined ? undefined : licenses.resolve(scope, given))

/** Operations on the public attack surface of domains. */
export const surfaceOperations = [
  operation({
    name: 'surface.add',
    summary: 'add a domain to scan, and show the DNS record that proves its ownership',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { license: text(1, 512), domain: domainField },
    answer: { target, is_new: flag() },
    run: async ({ licenses, surface }, { license: named, domain }, { scope }) => {
      const added = await surface.add(await licenses.resolve(scope, named), domain)
      return { target: targetView(added.target, added.challenge), is_new: added.isNew }
    },
  }),
  operation({
    name: 'surface.verify',
    summary: 'check the DNS record that proves the ownership of a domain',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { license, domain: domainField },
    answer: { target },
    run: async (services, { license: named, domain }, { scope }) => {
      const found = await services.surface.find(domain, await owner(scope, services, named))
      const checked = await services.surface.verify(found.licenseId, found.domain)
      return { target: targetView(checked.target, checked.challenge) }
    },
  }),
  operation({
    name: 'surface.list',
    summary: 'list the domains to scan, with their newest scans',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { license, limit: defaulted(whole(1, 1000), 100) },
    answer: { targets: listOf(seenTarget, ANY) },
    run: async (services, { license: named, limit }, { scope }) => {
      const targets = await services.surface.list({ licenseId: await owner(scope, services, named), limit })
      return { targets: targets.map(seenTargetView) }
    },
  }),
  operation({
    name: 'surface.show',
    summary: 'show a domain and its newest scan, or a scan by its id',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: { license, domain: domainField },
    answer: { target: seenTarget, scan: optional(scan) },
    run: async (services, { license: named, domain: name }, { scope }) => {
      const { surface } = services
      const licenseId = await owner(scope, services, named)
      const byId = name.startsWith('scn_') ? await surface.scan(name, licenseId) : undefined
      const found = await surface.find(byId?.scan.domain ?? name, byId?.scan.licenseId ?? licenseId)
      const shown = byId ?? (await surface.last(found))
      return {
        target: seenTargetView(await surface.seen(found)),
        ...(shown === undefined ? {} : { scan: scanView(shown) }),
      }
    },
  }),
  operation({
    name: 'surface.scan',
    summary: "scan a verified domain's public attack surface",
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { license, domain: domainField, ...SCAN_FIELDS },
    answer: { scan: head },
    run: async (services, { license: named, ...asked }, { scope }) => {
      const found = await services.surface.find(asked.domain, await owner(scope, services, named))
      const answer = await services.surface.start(found.licenseId, asked)
      if (answer.outcome === 'queued') return { scan: scanHead(answer.scan) }
      if (answer.outcome === 'running')
        throw new Problem('conflict', { detail: `the scan ${answer.id} of this domain has not ended` })
      const { name, value } = answer.challenge
      throw new Problem('domain-not-proven', {
        detail: `publish the TXT record ${name} "${value}", then scan again${answer.reason ? ` (${answer.reason})` : ''}`,
      })
    },
  }),
  operation({
    name: 'surface.abort',
    summary: 'abort a queued or running scan; its results are discarded',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { scan: text(1, 64) },
    answer: { scan: head },
    run: async ({ surface }, input) => ({ scan: scanHead(await surface.abort(input.scan)) }),
  }),
  operation({
    name: 'surface.findings',
    summary: 'list the findings of scans, high ones first',
    permission: 'platform.read',
    scope: 'tenant',
    changes: false,
    input: {
      license,
      domain: optional(domainField),
      status: optional(oneOf(FINDING_STATUSES)),
      limit: defaulted(whole(1, 1000), 100),
    },
    answer: { findings: listOf(finding, ANY) },
    run: async (services, { license: named, domain, status, limit }, { scope }) => {
      const licenseId = await owner(scope, services, named)
      const found = domain === undefined ? undefined : await services.surface.find(domain, licenseId)
      const filter = { licenseId: found?.licenseId ?? licenseId, domain: found?.domain, status, limit }
      return { findings: (await services.surface.findings(filter)).map(findingView) }
    },
  }),
  operation({
    name: 'surface.remove',
    summary: 'remove a domain with its scans and findings; a running scan ends',
    permission: 'platform.deploy',
    scope: 'tenant',
    changes: true,
    input: { license, domain: domainField },
    answer: { removed: text(0, 253) },
    run: async (services, { license: named, domain }, { scope }) => {
      const found = await services.surface.find(domain, await owner(scope, services, named))
      await services.surface.remove(found)
      return { removed: found.domain }
    },
  }),
]
