import { type Infer, optional, type Struct } from 'superstruct'
import { ofLicense, type Scope } from '../../kernel/scope.ts'
import { type Fields, read, shape, text, type ViewOf } from '../../kernel/validation.ts'
import type { Operator } from './operator.ts'
import type { Permission } from './permission.ts'

/**
 * The people who may run an operation, if they hold its permission. `platform`: staff alone. `tenant`: also a
 * tenant's people; others' things do not exist for them.
 */
export const OPERATION_SCOPES = ['platform', 'tenant'] as const
export type OperationScope = (typeof OPERATION_SCOPES)[number]

/** Answer of an operation: a JSON document. */
export type Answer = Readonly<Record<string, unknown>>

type Read<S extends Fields> = Infer<ReturnType<typeof shape<S>>>
/** A run whose answer lacks a field of `answer`, or has one of another type, does not compile. */
type AnswerOf<A extends Fields> = Answer & ViewOf<A>

/** The license that a run of a licensed operation is about; the operator's scope is then that license. */
export interface LicenseScope {
  /** Undefined if an operator named no license: the run is about all of them. */
  readonly licenseId: string | undefined
  /** Whether the license itself runs the operation, with its key. The answer then has the shape `answer`. */
  readonly isCaller: boolean
}

/** An operation's form for the holders of a license key. */
export interface LicensedForm<Needs> {
  /** The input without `license`: the key says which license is meant. */
  readonly input: Struct<unknown, unknown>
  readonly answer: Struct<unknown, unknown>
  /** Validates the input and runs the operation. @throws Problem as `Operation.run` */
  readonly run: (services: Needs, input: unknown, licenseId: string) => Promise<Answer>
}

/**
 * An action of operators. The command line, the local socket and HTTPS run the same table of operations.
 * `Needs` are those that it uses.
 */
export interface Operation<Needs> {
  /** `<feature>.<verb>` */
  readonly name: string
  /** One line for help texts and documents. */
  readonly summary: string
  readonly permission: Permission
  readonly scope: OperationScope
  /** Whether a run by an operator leaves an audit row. */
  readonly changes: boolean
  /** Whether a signed-in user must give their credentials again, in addition to the session. */
  readonly confirmed?: true
  /** Whether API tokens may not run it. They may run no `confirmed` operation either. */
  readonly personal?: true
  /** Runs of one signed-in person in a minute; absent: as many as they ask for. */
  readonly perMinute?: number
  readonly input: Struct<unknown, unknown>
  /** The fields of an answer, all of them. */
  readonly answer: Struct<unknown, unknown>
  /** Absent if only operators run the operation. */
  readonly licensed?: LicensedForm<Needs>
  /**
   * Validates the input and runs the operation. @throws Problem `invalid-input`, or the errors of the
   * services
   */
  readonly run: (services: Needs, input: unknown, operator: Operator) => Promise<Answer>
}

interface CommonParts<S extends Fields> {
  readonly name: string
  readonly summary: string
  readonly permission: Permission
  readonly scope: OperationScope
  readonly changes: boolean
  readonly confirmed?: true
  readonly personal?: true
  readonly perMinute?: number
  readonly input: S
}

/** Declaration of an operation; `run` gets input that was validated by `input`. */
export interface OperationParts<Needs, S extends Fields, A extends Fields> extends CommonParts<S> {
  readonly licensed?: never
  /** The fields of the answer, all of them. */
  readonly answer: A
  readonly run: (services: Needs, input: Read<S>, operator: Operator) => Promise<AnswerOf<A>>
}

/**
 * Declaration of an operation that a license key suffices for. `run` gets the license of the key; operators
 * name one in the field `license`, which every such operation takes.
 */
export interface LicensedParts<Needs, S extends Fields, A extends Fields> extends CommonParts<S> {
  readonly licensed: true
  /** The fields of the answer, all of them; fields for operators only are optional. */
  readonly answer: A
  readonly run: (
    services: Needs,
    input: Read<S>,
    operator: Operator,
    scope: LicenseScope,
  ) => Promise<AnswerOf<A>>
}

/** The service that every licensed operation uses. */
export interface Licensing {
  readonly licenses: { readonly resolve: (scope: Scope, idOrKey: string) => Promise<string> }
}

/** Declares operations that use certain services. */
export interface Declare<Needs> {
  <S extends Fields, A extends Fields>(parts: LicensedParts<Needs, S, A>): Operation<Needs & Licensing>
  <S extends Fields, A extends Fields>(parts: OperationParts<Needs, S, A>): Operation<Needs>
}

const license = optional(text(1, 512))

/** Returns the function that declares operations which use `Needs`. */
export const operationOf = <Needs>(): Declare<Needs> => declared

function declared<Needs, S extends Fields, A extends Fields>(
  parts: OperationParts<Needs, S, A> | LicensedParts<Needs, S, A>,
): Operation<Needs & Licensing> {
  if (parts.licensed) return licensedOperation(parts)
  const struct = shape(parts.input)
  const { answer, ...rest } = parts
  return {
    ...rest,
    answer: shape(answer) as unknown as Struct<unknown, unknown>,
    input: struct as unknown as Struct<unknown, unknown>,
    run: (services, input, operator) => parts.run(services, read(struct, input), operator),
  }
}

function licensedOperation<Needs, S extends Fields, A extends Fields>({
  answer,
  run,
  ...parts
}: LicensedParts<Needs, S, A>): Operation<Needs & Licensing> {
  const own = shape(parts.input)
  const whole = shape<Fields>({ license, ...parts.input }) as unknown as Struct<unknown, unknown>
  const answered = shape(answer) as unknown as Struct<unknown, unknown>
  return {
    ...parts,
    input: whole,
    answer: answered,
    run: async (services, input, operator) => {
      const { license: named, ...rest } = read(whole, input) as Readonly<Record<string, unknown>>
      if (named === undefined)
        return run(services, rest as Read<S>, operator, { licenseId: undefined, isCaller: false })
      const licenseId = await services.licenses.resolve(operator.scope, String(named))
      const within = { ...operator, scope: ofLicense(licenseId) }
      return run(services, rest as Read<S>, within, { licenseId, isCaller: false })
    },
    licensed: {
      input: own as unknown as Struct<unknown, unknown>,
      answer: answered,
      run: async (services, input, licenseId) =>
        run(
          services,
          read(own, input),
          { name: `license ${licenseId}`, scope: ofLicense(licenseId) },
          { licenseId, isCaller: true },
        ),
    },
  }
}
