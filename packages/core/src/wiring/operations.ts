import type { Accounts, CurrentCredentials } from '../accounts/accounts.ts'
import type { Clock } from '../clock.ts'
import type { Ids } from '../ids.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Log } from '../log.ts'
import { auditableInput } from '../operations/auditable-input.ts'
import type { Answer, Operation, Services } from '../operations/operation.ts'
import { holds, type Operator } from '../operations/operator.ts'
import { Problem } from '../problem.ts'
import type { SessionCaller } from '../sessions/sessions.ts'
import type { Storage } from '../storage/storage.ts'
import { storable } from '../validation.ts'
import { OPERATIONS } from './operation-list.ts'

/** What `Operations` is built from. */
export interface OperationsParts {
  readonly services: Services
  readonly accounts: Pick<Accounts, 'confirm'>
  readonly limits: Pick<RateLimits, 'take'>
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: Ids
  /** Told who was refused for want of a permission, by id. */
  readonly log: Log
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
   * Runs an operation for `actor`, who is on the machine and holds every permission.
   * @throws Problem `not-found` for an unknown name, or what the operation throws
   */
  async run(name: string, input: unknown, actor: string): Promise<Answer> {
    return this.#run(named(name), storable(input ?? {}), { name: actor })
  }

  /**
   * Runs an operation for a person who is signed in. Some take more than a session: those who run them show
   * with `credentials` that it is them, and a minted session opens no other.
   * @throws Problem as `run`; `forbidden` without the permission, `confirmation-required` without credentials
   * where they are needed, `unauthorized` with wrong ones
   */
  async runFor(
    caller: SessionCaller,
    name: string,
    input: unknown,
    credentials?: CurrentCredentials,
  ): Promise<Answer> {
    const operation = named(name)
    const operator: Operator = { name: caller.user.email, user: caller.user }
    const clean = storable(input ?? {})
    if (!holds(operator, operation.permission)) return this.#refuse(operation, clean, operator)
    if (operation.confirmed === undefined) return this.#run(operation, clean, operator)
    if (credentials === undefined) throw confirmationRequired(name)
    return this.#recorded(operation, clean, operator, async () => {
      if (name === 'sessions.mint' && caller.minted)
        throw new Problem('forbidden', { detail: 'a minted session mints no other: sign in with svc login' })
      await this.#parts.accounts.confirm(caller, credentials)
      return operation.run(this.#parts.services, clean, operator)
    })
  }

  #run(operation: Operation, input: unknown, operator: Operator): Promise<Answer> {
    const work = () => operation.run(this.#parts.services, input, operator)
    return operation.changes ? this.#recorded(operation, input, operator, work) : work()
  }

  // Reads leave a row here too: such a try is worth one. The limit keeps anybody from filling the table.
  async #refuse(operation: Operation, input: unknown, operator: Operator): Promise<never> {
    const { log, limits } = this.#parts
    const { name, permission } = operation
    const user = operator.user?.id ?? ''
    log.info({ user, operation: name }, 'operation refused')
    const { allowed } = await limits.take('refused-operations', user)
    // Refused is refused, with a row or without.
    if (allowed) await this.#record(operation, briefly(input), operator, 'forbidden').catch(() => {})
    throw new Problem('forbidden', { detail: `${name} needs ${permission}` })
  }

  // The row is written after the act, in a transaction of its own: between the two a crash leaves the act
  // without its row.
  async #recorded(
    operation: Operation,
    input: unknown,
    operator: Operator,
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    let answer: Answer
    try {
      answer = await work()
    } catch (error) {
      const code = error instanceof Problem ? error.code : 'fault'
      // The caller hears of the first failure, also when the row cannot be written for the same reason.
      await this.#record(operation, input, operator, code).catch(() => {})
      throw error
    }
    await this.#record(operation, input, operator, 'ok')
    return answer
  }

  async #record({ name }: Operation, input: unknown, operator: Operator, outcome: string): Promise<void> {
    const { storage, ids, clock, log } = this.#parts
    const id = ids.next('aud')
    const entry = { id, actor: operator.name, operation: name, input: auditableInput(input), outcome }
    try {
      await storage.audit.add(entry, clock.forStores())
    } catch (error) {
      const fault = error instanceof Error ? error.name : 'unknown'
      log.error({ operation: name, outcome, fault }, 'audit row not written')
      throw error
    }
  }
}

function named(name: string): Operation {
  const found = OPERATIONS.find((each) => each.name === name)
  if (found === undefined) throw new Problem('not-found', { detail: `there is no operation ${name}` })
  return found
}

const confirmationRequired = (name: string): Problem =>
  new Problem('confirmation-required', {
    detail: `${name} takes your current password beside the session, and a code when you have a second factor`,
  })

const BRIEF_CHARS = 1024

/** Input of somebody who may not run the operation: a row must not cost what they choose. */
const briefly = (input: unknown): unknown => (JSON.stringify(input).length <= BRIEF_CHARS ? input : {})
