import { Problem } from '@svc/core'
import type { Row } from '../cells.ts'
import { html } from '../html.ts'
import type { Page } from '../pages.ts'
import type { Visit } from '../visit.ts'

/** A thing that was found, with the page that shows it. */
interface Hit {
  readonly kind: string
  readonly page: string
  readonly id: string
  readonly name: string
}

/** A kind of thing that is found by its id, its name or the end of its id. */
interface Sought {
  readonly kind: string
  /** The page of such things. */
  readonly page: string
  readonly operation: string
  readonly input: (text: string) => object
  readonly hits: (answer: Row) => readonly Hit[]
}

const MOST_CHARS = 128
const ID_END = /^[0-9a-z]{4,26}$/

const one =
  (kind: string, page: string, field: string, named: (thing: Row) => unknown) =>
  (answer: Row): readonly Hit[] => {
    const thing = answer[field] as Row
    return [{ kind, page, id: String(thing.id), name: String(named(thing)) }]
  }

const SOUGHT: readonly Sought[] = [
  {
    kind: 'Host',
    page: 'hosts',
    operation: 'fleet.show',
    input: (host) => ({ host }),
    hits: one('Host', 'hosts', 'server', ({ hostname }) => hostname),
  },
  {
    kind: 'App',
    page: 'apps',
    operation: 'apps.show',
    input: (app) => ({ app }),
    hits: one('App', 'apps', 'app', ({ name }) => name),
  },
  {
    kind: 'License',
    page: 'licenses',
    operation: 'licenses.show',
    input: (license) => ({ license }),
    hits: one('License', 'licenses', 'license', ({ label, id }) => label || id),
  },
  {
    kind: 'Job',
    page: 'jobs',
    operation: 'jobs.list',
    input: (text) => ({ id_end: text.replace(/^job_/, ''), limit: 10 }),
    hits: ({ jobs }) =>
      (jobs as readonly Row[]).map(({ id, kind, app }) => ({
        ...{ kind: 'Job', page: 'jobs', id: String(id) },
        name: [kind, app].filter((word) => word !== undefined).join(' '),
      })),
  },
]

/** Finds hosts, apps, licenses and jobs. The one thing that is found is shown at once. */
export const searchPage: Page = {
  path: 'search',
  show: async (visit) => {
    const text = (visit.query.get('q') ?? '').trim().slice(0, MOST_CHARS)
    const hits = text === '' ? [] : await found(visit, text)
    const [first] = hits
    if (first !== undefined && hits.length === 1) return { seeOther: visit.links.thing(first.page, first.id) }
    return {
      title: 'Search',
      body: html`<h1>Search</h1>
${hits.length === 0 && html`<p class="empty">Nothing has ${text === '' ? 'an empty text' : html`<code>${text}</code>`} as its id, its name or the end of its id.</p>`}
<ul class="hits">${hits.map(({ kind, page, id, name }) => html`<li><a href="${visit.links.thing(page, id)}">${name}</a> <small>${kind} <code>${id}</code></small></li>`)}</ul>`,
    }
  },
}

async function found(visit: Visit, text: string): Promise<readonly Hit[]> {
  const asked = SOUGHT.filter(({ operation }) => visit.may(operation))
  const lists = await Promise.all(asked.map((sought) => hitsOf(visit, sought, text)))
  return lists.flat()
}

/** Refusals of texts that name nothing. */
const NO_NAME: ReadonlySet<string> = new Set(['not-found', 'invalid-input'])

/** A candidate begins with its id; one that shares it has its own name at the end: `agt_… of lic_…: fp:…`. */
const candidateHits = ({ kind, page }: Sought, candidates: readonly string[]): readonly Hit[] =>
  candidates
    .filter((each) => !each.startsWith('and '))
    .map((name) => ({ kind, page, id: name.split(': ').at(-1)?.split(' ')[0] ?? name, name }))

async function hitsOf(visit: Visit, sought: Sought, text: string): Promise<readonly Hit[]> {
  const { operation, input, hits } = sought
  const given = input(text)
  if ('id_end' in given && !ID_END.test(String(given.id_end))) return []
  try {
    return hits(await visit.run(operation, given))
  } catch (error) {
    if (error instanceof Problem && NO_NAME.has(error.code)) return []
    if (error instanceof Problem && error.code === 'ambiguous')
      return candidateHits(sought, error.data.candidates ?? [])
    throw error
  }
}
