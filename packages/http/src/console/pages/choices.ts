import { Problem } from '@svc/core'
import type { Row } from '../cells.ts'
import { CHOICES, type Choices } from '../fields.ts'
import { html } from '../html.ts'
import type { Page } from '../pages.ts'
import type { Visit } from '../visit.ts'

/** One of the things that a field may name. */
interface Choice {
  /** The text that the field takes. */
  readonly value: string
  readonly words: string
}

interface List {
  readonly operation: string
  readonly rows: string
  /** `isOne`: no other row has the name of this one. */
  readonly choice: (row: Row, isOne: boolean) => Choice
  /** The field with the name. */
  readonly named: string
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

const LISTS: Readonly<Record<Choices, List>> = {
  hosts: {
    operation: 'fleet.servers',
    rows: 'servers',
    named: 'hostname',
    // A name that several hosts carry names none of them.
    choice: ({ hostname, id, label, state }, isOne) => ({
      value: text(isOne ? hostname : id),
      words: [hostname, label, state].filter(Boolean).map(text).join(', '),
    }),
  },
  licenses: {
    operation: 'licenses.list',
    rows: 'licenses',
    named: 'id',
    choice: ({ id, label, tenant_id: tenant }) => ({
      value: text(id),
      words: [label, tenant].filter(Boolean).map(text).join(', '),
    }),
  },
  tenants: {
    operation: 'tenants.list',
    rows: 'tenants',
    named: 'id',
    choice: ({ id, name }) => ({ value: text(id), words: text(name) }),
  },
  apps: {
    operation: 'apps.list',
    rows: 'apps',
    named: 'name',
    choice: ({ name, id, license_id: license }, isOne) => ({
      value: text(isOne ? name : id),
      words: [name, license].map(text).join(', '),
    }),
  },
}

const MOST = 20
const MOST_CHARS = 128

/** Lists the things with a text in them that a field may name. The script offers them while one types. */
export const choicesPage: Page = {
  path: 'choices/{things}',
  show: async (visit, { things = '' }) => {
    const list = CHOICES.find((each) => each === things)
    if (list === undefined) throw new Problem('not-found')
    const found = await choicesOf(visit, LISTS[list], visit.query.get('q') ?? '')
    return {
      title: 'Choices',
      body: html`<h1>Choices</h1>
${found.length === 0 && html`<p class="empty">Nothing has that text.</p>`}
<ul>${found.map(({ value, words }) => html`<li data-value="${value}">${words}</li>`)}</ul>`,
    }
  },
}

async function choicesOf(visit: Visit, list: List, typed: string): Promise<readonly Choice[]> {
  const sought = typed.trim().slice(0, MOST_CHARS).toLowerCase()
  const rows = (await visit.run(list.operation, {}))[list.rows] as readonly Row[]
  const counts = new Map<unknown, number>()
  for (const { [list.named]: name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1)
  const found: Choice[] = []
  for (const row of rows) {
    if (found.length === MOST) break
    const choice = list.choice(row, counts.get(row[list.named]) === 1)
    if (`${choice.value} ${choice.words}`.toLowerCase().includes(sought)) found.push(choice)
  }
  return found
}
