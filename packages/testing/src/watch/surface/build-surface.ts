import {
  EMPTY_RESULT,
  type Finding,
  findingFingerprint,
  type NewScan,
  type ScanSettlement,
} from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a scan of `shop.example` with every check, changed by `fields`. */
export const buildScan = (fields: Partial<NewScan> = {}): NewScan => ({
  id: buildId('scn'),
  licenseId: 'lic_test',
  domain: 'shop.example',
  checks: ['ports', 'files', 'ct', 'fingerprint'],
  params: { hosts: [], ports: 'default' },
  perHour: 6,
  perDay: 20,
  ...fields,
})

/** Returns a high finding of `shop.example`, changed by `fields`, with its fingerprint. */
export function buildFinding(fields: Partial<Finding> = {}): Finding & { readonly fingerprint: string } {
  const finding: Finding = {
    id: 'exposed-git-config',
    check: 'files',
    severity: 'high',
    host: 'shop.example',
    place: 'shop.example',
    url: 'https://shop.example/.git/config',
    evidence: '[core]',
    remediation: 'do not publish the folder .git',
    ...fields,
  }
  return { ...finding, fingerprint: findingFingerprint(finding) }
}

/** The end of a scan that saw these findings. */
export const buildSettlement = (id: string, token: string): ScanSettlement => ({
  id,
  token,
  state: 'done',
  error: undefined,
  result: EMPTY_RESULT,
  seen: [],
  fixed: [],
})
