import { defaulted, optional } from 'superstruct'
import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import { flag, listOf, oneOf, text, whole } from '../../kernel/validation.ts'
import type { Licenses } from '../../people/licenses/licenses.ts'
import { operationOf } from '../../platform/operations/operation.ts'
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

/** The services that operations on scans use. */
export interface SurfaceUses {
  readonly licenses: Licenses
  readonly surface: Surface
}

const operation = operationOf<SurfaceUses>()

const ANY = Number.POSITIVE_INFINITY
const license = optional(text(1, 512))
const { target, seenTarget, finding, head, scan } = SURFACE_SHAPES

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
    run: async ({ licenses, surface }, { license: named, domain }, { scope }) => {
      const found = await surface.find(await licenses.within(scope, named), domain)
      const checked = await surface.verify(found.licenseId, found.domain)
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
    run: async ({ licenses, surface }, { license: named, limit }, { scope }) => {
      const targets = await surface.list(await licenses.within(scope, named), { limit })
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
    run: async ({ licenses, surface }, { license: named, domain: name }, { scope }) => {
      const within = await licenses.within(scope, named)
      const byId = name.startsWith('scn_') ? await surface.scan(within, name) : undefined
      const found =
        byId === undefined
          ? await surface.find(within, name)
          : await surface.find(ofLicense(byId.scan.licenseId), byId.scan.domain)
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
    run: async ({ licenses, surface }, { license: named, ...asked }, { scope }) => {
      const found = await surface.find(await licenses.within(scope, named), asked.domain)
      const answer = await surface.start(found.licenseId, asked)
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
    run: async ({ surface }, input, { scope }) => ({
      scan: scanHead(await surface.abort(scope, input.scan)),
    }),
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
    run: async ({ licenses, surface }, { license: named, domain, status, limit }, { scope }) => {
      const within = await licenses.within(scope, named)
      const found = domain === undefined ? undefined : await surface.find(within, domain)
      const whose = found === undefined ? within : ofLicense(found.licenseId)
      const findings = await surface.findings(whose, { domain: found?.domain, status, limit })
      return { findings: findings.map(findingView) }
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
    run: async ({ licenses, surface }, { license: named, domain }, { scope }) => {
      const found = await surface.find(await licenses.within(scope, named), domain)
      await surface.remove(found)
      return { removed: found.domain }
    },
  }),
]
