import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlPlane, OperationScope, Permission, ProblemCode } from '@svc/core'
import type { Stores } from '@svc/core/ports'
import type { ScriptedDns } from '@svc/testing'
import type fc from 'fast-check'
import type { Stage } from '../../packages/cli/test/terminal/every-command.ts'
import type { Step } from '../../packages/core/test/conformance/world.ts'
import type { Ask } from '../../packages/http/test/authorization/asks.ts'
import type { World } from '../../packages/http/test/authorization/world.ts'

type Input = (world: World) => object

/** The permission of an operation, and the trace that its runs leave in the audit log. */
export interface OperationEntry {
  readonly asks: Permission
  /** Whether a tenant's people may run it on their own things, or only platform staff. */
  readonly scope: OperationScope
  /** Whether a person must confirm their identity with `confirmation` beside the input. */
  readonly confirmed?: true
  /** Whether API tokens may not run it, although nobody confirms anything. */
  readonly personal?: true
  /**
   * `row`: a run leaves one audit row, with the outcome `ok`, the code of the refusal, or `fault`. `nothing`:
   * the operation only reads.
   */
  readonly leaves: 'row' | 'nothing'
  /** An input that makes the operation succeed. */
  readonly input: Input
  /** An input that is refused, and the code; absent if no input can be wrong. */
  readonly refused?: readonly [code: ProblemCode, input: Input]
}

/** A good request of a route, which names things of the caller's own tenant, and its expected statuses. */
export interface RouteEntry {
  readonly asks: Ask
  /** The id for the path's braces, and the query. */
  path?(world: World): { readonly id?: string; readonly query?: string }
  body?(world: World): object
  /** The status for permitted callers. */
  readonly good: number
  /** The status for another tenant's credential that passes the gate, if it differs from `good`. */
  readonly foreign?: number
  /** The possible statuses past the gate, if they depend on more than the credential: a listed exception. */
  readonly past?: readonly number[]
  /** The request ends the session it is sent with, so every request gets new sessions. */
  readonly endsSession?: true
}

/** The tables of one feature, for the suites of access and of conformance. */
export interface Feature {
  /** Its operations, in an order that lets all succeed. */
  readonly operations?: Readonly<Record<string, OperationEntry>>
  /** Its routes, by method and path. */
  readonly requests?: Readonly<Record<string, RouteEntry>>
  /** Gives a tenant one of each thing of the feature, in DNS too; returns their ids by kind. */
  readonly stage?: (
    plane: ControlPlane,
    licenseId: string,
    dns: ScriptedDns,
  ) => Promise<Readonly<Record<string, string>>>
  /** Its commands and the words behind their names; the last may end things. */
  readonly commands?: Readonly<Record<string, (stage: Stage) => readonly string[]>>
  /** Random steps that ask each method of its stores. */
  readonly steps?: readonly fc.WeightedArbitrary<Step>[]
  /** Reads everything that its stores hold. */
  readonly contents?: (stores: Stores, now: Date) => Promise<Readonly<Record<string, unknown>>>
}

const FOLDER = join(import.meta.dirname, '../features')

/** Every feature: the files of `test/features/`, by name. */
export const FEATURES: readonly Feature[] = await Promise.all(
  readdirSync(FOLDER)
    .sort()
    .map(async (file) => ((await import(join(FOLDER, file))) as { readonly feature: Feature }).feature),
)

/** Every operation. The tests fail for a new operation until its feature has an entry. */
export const OPERATION_ENTRIES = joined(({ operations }) => operations)
/** Every route with its requirement. The tests fail for a new route until its feature has an entry. */
export const ROUTE_ENTRIES = joined(({ requests }) => requests)

/** The spelling of each command that a feature adds. */
export const COMMAND_ENTRIES = joined(({ commands }) => commands)

/** Gives a tenant one of each thing of every feature; returns their ids by kind. */
export async function stagedThings(
  plane: ControlPlane,
  licenseId: string,
  dns: ScriptedDns,
): Promise<Readonly<Record<string, string>>> {
  const things: Record<string, string> = {}
  for (const { stage } of FEATURES) Object.assign(things, await stage?.(plane, licenseId, dns))
  return things
}

/** @throws Error for a name that two features have */
function joined<T>(
  tableOf: (feature: Feature) => Readonly<Record<string, T>> | undefined,
): Readonly<Record<string, T>> {
  const entries = FEATURES.flatMap((feature) => Object.entries(tableOf(feature) ?? {}))
  const names = entries.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two features have an entry for ${twice}`)
  return Object.fromEntries(entries)
}
