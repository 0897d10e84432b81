import type { Log } from '../kernel/log.ts'
import { Problem } from '../kernel/problem.ts'
import { PLATFORM } from '../kernel/scope.ts'
import { storable } from '../kernel/validation.ts'
import type { Accounts, CurrentCredentials } from '../people/accounts/accounts.ts'
import { type Caller, operatorOf } from '../people/accounts/caller.ts'
import type { Base } from '../platform/base.ts'
import type { RateLimit, RateLimits } from '../platform/limits/rate-limits.ts'
import { auditableInput } from '../platform/operations/auditable-input.ts'
import type { Answer, Operation as OperationOf } from '../platform/operations/operation.ts'
import { lackOf, type Operator } from '../platform/operations/operator.ts'
import type { OperationAnswer, OperationInput, OperationName } from './api.ts'
import { OPERATIONS, type Services } from './features.ts'

type Operation = OperationOf<Services>

/** Refused operations that the audit log records, per person. */
const REFUSED_OPERATIONS: RateLimit = { name: 'refused-operations', limit: 30, windowSeconds: 60 }

/** Dependencies of `Operations`. */
export interface OperationsParts extends Pick<Base, 'storage' | 'clock' | 'ids'> {
  readonly services: Services
  readonly accounts: Pick<Accounts, 'confirm'>
  readonly limits: Pick<RateLimits, 'take'>
  /** Log of users and API tokens, by id, that lacked a permission. */
  readonly log: Log
}

/**
 * Runs the operations of operators. Every run of a changing operation leaves an audit row, even a refused
 * one.
 */
export class Operations {
  readonly #parts: OperationsParts

  constructor(parts: OperationsParts) {
    this.#parts = parts
  }

  /** All operations, by feature. */
  get list(): readonly Operation[] {
    return OPERATIONS
  }

  /**
   * Runs an operation for `actor`, who is on the machine and has every permission. The compiler knows the
   * input and the answer of a name that is written out.
   * @throws Problem `not-found` for an unknown name, or the errors of the operation
   */
  async run<const Name extends OperationName | (string & {})>(
    name: Name,
    input: OperationInput<Name>,
    actor: string,
  ): Promise<OperationAnswer<Name>> {
    const answer = await this.#run(named(name), storable(input ?? {}), { name: actor, scope: PLATFORM })
    // The shapes of the operation are the source of these types, and its answer has them.
    return answer as OperationAnswer<Name>
  }

  /**
   * Runs an operation for a user who is signed in, or for an API token. To a tenant's nothing of others
   * exists. Some operations need `credentials` in addition to the session, and are closed to tokens; a minted
   * session cannot mint another. `address`: of the caller, for operations that note it.
   * @throws Problem as `run`; `forbidden` without the permission, `confirmation-required` if credentials are
   * needed but missing, `unauthorized` if they are wrong; `rate-limited` for one who runs it too often
   */
  async runFor<const Name extends OperationName | (string & {})>(
    caller: Caller,
    name: Name,
    input: OperationInput<Name>,
    credentials?: CurrentCredentials,
    address?: string,
  ): Promise<OperationAnswer<Name>> {
    return (await this.#runFor(caller, name, input, credentials, address)) as OperationAnswer<Name>
  }

  async #runFor(
    caller: Caller,
    name: string,
    input: unknown,
    credentials?: CurrentCredentials,
    address?: string,
  ): Promise<Answer> {
    const operation = named(name)
    const operator = { ...operatorOf(caller), address }
    const clean = storable(input ?? {})
    const lack = lackOf(operator, operation)
    if (lack !== undefined) return this.#refuse(operation, clean, operator, lack)
    await this.#requireRoom(operation, operator)
    if (operation.confirmed === undefined) return this.#run(operation, clean, operator)
    if (credentials === undefined || 'token' in caller) throw confirmationRequired(name)
    return this.#recorded(operation, clean, operator, async () => {
      if (name === 'sessions.mint' && caller.minted)
        throw new Problem('forbidden', { detail: 'a minted session mints no other: sign in with svc login' })
      await this.#parts.accounts.confirm(caller, credentials)
      return operation.run(this.#parts.services, clean, operator)
    })
  }

  /**
   * Runs a licensed operation for the holder of a license key, on that license's things. Such a run leaves no
   * audit row.
   * @throws Problem `not-found` unless it names a licensed operation, or the errors of the operation
   */
  async runLicensed(licenseId: string, name: string, input: unknown): Promise<Answer> {
    const { licensed } = named(name)
    if (licensed === undefined) throw new Problem('not-found')
    return licensed.run(this.#parts.services, storable(input ?? {}), licenseId)
  }

  #run(operation: Operation, input: unknown, operator: Operator): Promise<Answer> {
    const work = () => operation.run(this.#parts.services, input, operator)
    return operation.changes ? this.#recorded(operation, input, operator, work) : work()
  }

  /** @throws Problem `rate-limited` */
  async #requireRoom({ name, perMinute }: Operation, { user }: Operator): Promise<void> {
    if (perMinute === undefined || user === undefined) return
    const limit = { name: `operation ${name}`, limit: perMinute, windowSeconds: 60 }
    const { allowed, retryAfterSeconds } = await this.#parts.limits.take(limit, user.id)
    if (!allowed) throw new Problem('rate-limited', { retryAfterSeconds })
  }

  // Refused reads are recorded too. The limit keeps users from filling the table.
  async #refuse(operation: Operation, input: unknown, operator: Operator, lack: string): Promise<never> {
    const { log, limits } = this.#parts
    const { name } = operation
    const user = (operator.user ?? operator.token)?.id ?? ''
    log.info({ user, operation: name }, 'operation refused')
    const { allowed } = await limits.take(REFUSED_OPERATIONS, user)
    // The operation is refused even if the row cannot be written.
    if (allowed) await this.#record(operation, briefly(input), operator, 'forbidden').catch(() => {})
    throw new Problem('forbidden', { detail: `${name} ${lack}` })
  }

  // The row is written after the operation, in its own transaction: a crash between the two loses the row.
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
      // The caller gets the first error, even if the row cannot be written for the same reason.
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
      await storage.audit.add(entry, clock.statementTime())
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

/** Drops the long input of a user without the permission, so that refused requests cost next to nothing. */
const briefly = (input: unknown): unknown => (JSON.stringify(input).length <= BRIEF_CHARS ? input : {})
