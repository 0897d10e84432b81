import type { Storage } from '@svc/core'
import { type Stores, spellId } from '@svc/core/ports'
import { buildHeartbeat, type FakeClock, type TestPlane, testPlane } from '@svc/testing'

/** Things of each tenant in each list. */
export const THINGS = 7
const PLACES = [0, 1, 2, 3, 4, 5, 6] as const

/** A tenant with two licenses and seven hosts, called alike in both tenants but for their hostnames. */
export interface Party {
  readonly name: 'own' | 'other'
  readonly tenantId: string
  /** The license of the things 0, 2, 4 and 6, and the one of 1, 3 and 5. */
  readonly licenses: readonly [string, string]
  readonly hosts: readonly Host[]
}

/** A host of a party. */
export interface Host {
  readonly licenseId: string
  readonly fingerprint: string
  readonly hostname: string
}

/** A thing that a list shows, by the fields that the list shows. */
export interface Thing {
  readonly key: string
  readonly n: number
  readonly party: Party
  readonly id: string
  /** Whether it is of the later of two instants. */
  readonly isLate: boolean
}

/** The facts for a row to add its thing `n` of a party. */
export interface Adding {
  readonly stores: Stores
  readonly party: Party
  readonly n: number
  readonly id: string
  readonly licenseId: string
  readonly host: Host
  /** Undefined: the clock of the storage, which has microseconds on PostgreSQL. */
  readonly now: Date | undefined
  /** The input that names the thing that the list belongs to. */
  readonly of: Readonly<Record<string, string>>
  /** Whether it is one of three that the filter by state, kind or app means. */
  readonly isSpecial: boolean
}

/** Two tenants on one storage, with those who read lists. */
export interface ListScene {
  readonly test: TestPlane
  readonly own: Party
  readonly other: Party
  /** Answers an operation as somebody, or the code and the text of the refusal. */
  run(who: Reader, name: string, input: object): Promise<Answered>
  /** Between the two instants. */
  readonly between: Date
  readonly late: Date
}

/** Readers of lists, by role and tenant. */
export const READERS = ['platform', 'owner', 'viewer'] as const
export type Reader = (typeof READERS)[number]

/** An answer, or a refusal. */
export type Answered = Readonly<Record<string, unknown>> & {
  readonly refused?: readonly [code: string, text: string]
}

const HOUR_MS = 3_600_000

/** The host of a thing: 0, 2 and 4 have one, the license of 1, 3 and 5 has one for them. */
export const hostOf = (n: number): number => (n % 2 === 1 ? 1 : n === 6 ? 6 : 0)
/** Whether a thing is one of the three special ones. */
export const isSpecial = (n: number): boolean => n === 0 || n === 1 || n === 4
/** The last characters of the ids of three things. */
export const SHARED_END = '7777'

/** Stages both tenants. */
export async function listScene(storage: Storage, clock: FakeClock): Promise<ListScene> {
  const test = testPlane({ storage, clock })
  const { plane } = test
  const party = async (name: Party['name']): Promise<Party> => {
    const { id: tenantId } = await plane.tenants.add(name)
    const issued = [await plane.licenses.issue({ tenantId }), await plane.licenses.issue({ tenantId })]
    const [even = '', odd = ''] = issued.map(({ license }) => license.id)
    const hosts = PLACES.map((n) => ({
      licenseId: n % 2 === 1 ? odd : even,
      fingerprint: `fp-${n}-0123456789abcdef`,
      hostname: `${name}-${[3, 5, 6].includes(n) ? 'same' : `host-${(n * 3) % 5}`}`,
    }))
    return { name, tenantId, licenses: [even, odd], hosts }
  }
  // Licenses of both tenants stand in turns, so that no order by license keeps them apart.
  const [own, other] = [await party('own'), await party('other')]
  for (const n of PLACES)
    for (const { hosts } of [own, other])
      await storage.agents.heartbeat(
        buildHeartbeat({ ...(hosts[n] as Host), lastCaptureAt: 1_700_000_000 + n }),
      )
  const token = async (role: string, tenantId?: string) =>
    (await plane.apiTokens.issue({ role, tenantId, label: role, createdBy: 'lists', expiresAt: undefined }))
      .token
  const tokens = {
    platform: await token('super_admin'),
    owner: await token('owner', own.tenantId),
    viewer: await token('viewer', own.tenantId),
  }
  const start = clock.now().getTime()
  return {
    test,
    own,
    other,
    between: new Date(start + HOUR_MS / 2),
    late: new Date(start + HOUR_MS),
    run: (who, name, input) =>
      plane.operations.runFor({ token: tokens[who] }, name, input).catch((error: unknown) => {
        const { code, detail, details } = error as { code?: string; detail?: string; details?: unknown }
        if (code === undefined) throw error
        return { refused: [code, `${detail ?? ''} ${JSON.stringify(details ?? '')}`] }
      }),
  }
}

/** The order of adding says nothing about the order of ids. */
const ID_PLACES = [8, 3, 12, 0, 5, 10, 1, 13, 7, 2, 11, 4, 9, 6] as const

/** The id of the thing `n` of a party; with `isTimed` a later thing has a greater one. */
export function idOf(
  { own, late, test }: ListScene,
  prefix: string,
  party: Party,
  n: number,
  isTimed: boolean,
) {
  const at = isTimed && isLate(n) ? late : (test.clock.now() ?? late)
  const place = ID_PLACES[n * 2 + (party === own ? 0 : 1)] ?? 0
  // Four characters of an id are twenty bits: three things share their last ones.
  const id = spellId(prefix, at.getTime(), BigInt(place) << 20n)
  return `${id.slice(0, -4)}${[2, 3, 6].includes(n) ? SHARED_END : '1111'}`
}

/** Whether a thing is of the later of two instants. */
export const isLate = (n: number): boolean => n >= 4

/** Adds seven things of each party in turns: things of one instant in one transaction. */
export async function filled(
  scene: ListScene,
  row: {
    readonly prefix: string
    readonly isTimed: boolean
    readonly add: (given: Adding) => Promise<string>
  },
  of: (party: Party) => Adding['of'],
): Promise<readonly Thing[]> {
  const things: Thing[] = []
  const add = async (stores: Stores, n: number, party: Party) => {
    const id = idOf(scene, row.prefix, party, n, row.isTimed)
    const now = isLate(n) ? scene.late : undefined
    const host = party.hosts[hostOf(n)] as Host
    const given = { stores, party, n, id, licenseId: host.licenseId, host, now, of: of(party) }
    const key = await row.add({ ...given, isSpecial: isSpecial(n) })
    things.push({ key, n, party, id, isLate: isLate(n) })
  }
  for (const group of [PLACES.filter((n) => !isLate(n)), PLACES.filter(isLate)])
    await scene.test.storage.transaction(async (stores) => {
      for (const n of group) for (const party of [scene.own, scene.other]) await add(stores, n, party)
    })
  return things
}
