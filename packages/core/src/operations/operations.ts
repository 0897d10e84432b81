import type { Clock } from '../clock.ts'
import type { Ids } from '../ids.ts'
import { Problem } from '../problem.ts'
import { redact } from '../redaction/redactor.ts'
import { secretDigest } from '../signing/same-secret.ts'
import type { Storage } from '../storage/storage.ts'
import { storable } from '../validation.ts'
import { OPERATIONS } from './list.ts'
import type { Answer, Operation, Services } from './operation.ts'

/** What `Operations` is built from. */
export interface OperationsParts {
  readonly services: Services
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
}

/** The one way operators act: every run of a changing operation leaves an audit row, refused ones too. */
export class Operations {
  readonly #parts: OperationsParts

  constructor(parts: OperationsParts) {
    this.#parts = parts
  }

  /** Every operation, by feature. */
  get list(): readonly Operation[] {
    return OPERATIONS
  }

  /**
   * Runs an operation for `actor`.
   * @throws Problem `not-found` for an unknown name, or what the operation throws
   */
  async run(name: string, input: unknown, actor: string): Promise<Answer> {
    const found = OPERATIONS.find((each) => each.name === name)
    if (found === undefined) throw new Problem('not-found', { detail: `there is no operation ${name}` })
    const clean = storable(input ?? {})
    if (!found.changes) return found.run(this.#parts.services, clean, actor)
    try {
      const answer = await found.run(this.#parts.services, clean, actor)
      await this.#record(found, clean, actor, 'ok')
      return answer
    } catch (error) {
      await this.#record(found, clean, actor, error instanceof Problem ? error.code : 'fault')
      throw error
    }
  }

  async #record({ name }: Operation, input: unknown, actor: string, outcome: string): Promise<void> {
    const { storage, ids, clock } = this.#parts
    const entry = { id: ids.next('aud'), actor, operation: name, input: auditable(input), outcome }
    await storage.audit.add(entry, clock.forStores())
  }
}

const KEY_DIGEST_CHARS = 8

/**
 * The input as the audit log may keep it: license keys by digest only, of addresses their origin (what follows is often
 * a secret), known secrets redacted.
 */
function auditable(input: unknown): Readonly<Record<string, unknown>> {
  const kept = JSON.stringify(input, (key, value: unknown) => {
    if (typeof value !== 'string') return value
    if (key === 'password') return '[redacted:password]'
    if (key === 'url' && URL.canParse(value)) return new URL(value).origin
    const isKey = key === 'license' && !value.startsWith('lic_')
    return isKey ? `key:${secretDigest(value).slice(0, KEY_DIGEST_CHARS)}` : redact(value)
  })
  const parsed: unknown = JSON.parse(kept)
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
}
