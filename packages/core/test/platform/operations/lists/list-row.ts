import type { Adding, ListScene, Party, Thing } from './list-scene.ts'

/** A filter of a list: a value, and the things that it means. */
export interface Filter {
  readonly value: (scene: ListScene) => unknown
  readonly means: (thing: Thing) => boolean
  /** A value that means nothing, and how the list answers it. */
  readonly nobodys: unknown
  readonly answer: 'none' | 'not-found' | 'invalid-input'
  /** The same of the other tenant, which its people alone may see. */
  readonly others?: (scene: ListScene) => unknown
  /** The order of the things that it means, unless it is the list's order. */
  readonly order?: ListRow['order']
  /** A filter that decides alone when both are given. */
  readonly yieldsTo?: string
  /** Whether it is about the owner alone, and so means all seven things of the tenant. */
  readonly isWhole?: true
}

/** How a list is read to its end. `back`: by a cursor, from the last page to the first. */
export type Paging = 'cursor' | 'back' | 'after' | 'limit' | 'whole'

/** A list, with its entries. */
export interface ListRow {
  /** The field of the answer. */
  readonly list: string
  readonly paging: Paging
  /** The prefix of the ids of its things. */
  readonly prefix: string
  /** Whether a later thing has a greater id. Without it, times and ids tell different orders. */
  readonly isTimed: boolean
  readonly order: (one: Thing, other: Thing) => number
  /** The key of a thing, as the list shows it. */
  readonly shown: (entry: never) => string
  /**
   * Makes the thing that the list belongs to, if there is one; returns the input that names it, and its
   * owner.
   */
  readonly of?: (scene: ListScene, party: Party) => Promise<Readonly<Record<string, string>>>
  /** Adds a thing; returns its key. */
  readonly add: (given: Adding) => Promise<string>
  readonly filters: Readonly<Record<string, Filter>>
  /** Fields that are neither a filter nor a place, and why. */
  readonly others?: Readonly<Record<string, string>>
}

export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
/** In the order of ids. */
export const byId = (one: Thing, other: Thing): number => byText(one.id, other.id)
/** By id, the greatest first. */
export const byIdDown = (one: Thing, other: Thing): number => byId(other, one)
/** The later first, within one instant the greatest id. */
export const newestFirst = (one: Thing, other: Thing): number =>
  Number(other.isLate) - Number(one.isLate) || byIdDown(one, other)
/** In the order of keys. */
export const byKey = (one: Thing, other: Thing): number => byText(one.key, other.key)

/** The key of things that have an id. */
export const idOf = ({ id }: { readonly id: string }): string => id

/** A word that only some things have, such as a state or an app. */
export const special = (value: string, nobodys: string, answer: Filter['answer']): Filter => ({
  value: () => value,
  means: ({ n }) => n === 0 || n === 1 || n === 4,
  nobodys,
  answer,
})

/** The license of the things 1, 3 and 5. */
export const license: Filter = {
  value: ({ own }) => own.licenses[1],
  means: ({ n, party }) => party.name === 'own' && n % 2 === 1,
  nobodys: 'lic_00000000000000000000000000',
  answer: 'not-found',
  others: ({ other }) => other.licenses[1],
}

/** The license of the thing that the list belongs to. */
export const licenseOfParent: Filter = {
  ...license,
  value: ({ own }) => own.licenses[0],
  means: ({ party }) => party.name === 'own',
  others: ({ other }) => other.licenses[0],
  isWhole: true,
}

/** The host of the things 0, 2 and 4. */
export const host: Filter = {
  value: ({ own }) => own.hosts[0]?.hostname,
  means: ({ n, party }) => party.name === 'own' && [0, 2, 4].includes(n),
  nobodys: 'nobodys-host',
  answer: 'not-found',
  others: ({ other }) => other.hosts[0]?.hostname,
}

/** The things of the later instant. */
export const since: Filter = {
  value: ({ between }) => Math.floor(between.getTime() / 1000),
  means: ({ isLate }) => isLate,
  nobodys: 4_000_000_000,
  answer: 'none',
}

/** The tenant, of whose things only three are its own. */
export const ofTenant: Filter = {
  value: ({ own }) => own.tenantId,
  means: ({ n, party }) => party.name === 'own' && [0, 2, 4].includes(n),
  nobodys: 'nobody',
  answer: 'not-found',
  others: ({ other }) => other.tenantId,
}

/** The tenant with its licenses' things. */
export const tenant: Filter = { ...ofTenant, means: ({ party }) => party.name === 'own', isWhole: true }
