import { type Infer, optional, type Struct } from 'superstruct'
import { field, type JsonSchema, listOf, oneOf, shape, text } from '../../kernel/validation.ts'
import { NAMED_HOSTS, NAMED_PORTS, type ScanParams, SURFACE_CHECKS } from './surface-scan.ts'

const isPort = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_535

/** Ports of a scan: a list by name, or at most `NAMED_PORTS` of them. */
const ports: Struct<ScanParams['ports'], JsonSchema> = field(
  {
    anyOf: [
      { type: 'string', enum: ['default', 'top100'] },
      { type: 'array', maxItems: NAMED_PORTS, items: { type: 'integer', minimum: 1, maximum: 65_535 } },
    ],
  },
  (value) =>
    value === 'default' ||
    value === 'top100' ||
    (Array.isArray(value) && value.length <= NAMED_PORTS && value.every(isPort)),
  `default, top100, or a list of at most ${NAMED_PORTS} ports`,
)

/** A domain as it is written; `readTargetDomain` checks it. */
export const domainField = text(1, 253)

/** Fields of a scan beside its domain. */
export const SCAN_FIELDS = {
  checks: optional(listOf(oneOf(SURFACE_CHECKS), SURFACE_CHECKS.length)),
  hosts: optional(listOf(text(1, 253), NAMED_HOSTS)),
  ports: optional(ports),
}

/** The body that starts a scan (docs/surface.md). */
export const scanRequest = shape({ domain: domainField, ...SCAN_FIELDS })
/** The body that starts a scan. */
export type ScanRequest = Infer<typeof scanRequest>

/** The body that adds a target, or looks its proof up again. */
export const targetRequest = shape({ domain: domainField })
