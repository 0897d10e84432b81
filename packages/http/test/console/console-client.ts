import { type HTMLElement, parse } from 'node-html-parser'
import type { Answer } from '../../../../test/support/exchange.ts'
import type { Mounted } from '../../../../test/support/mounted.ts'

/** A page of the console as a test reads it. */
export interface ReadPage extends Answer {
  readonly page: HTMLElement
}

/** Somebody with a browser without script. */
export interface Visitor {
  /** Reads a page; `path` is below `/console`. */
  get(path: string): Promise<ReadPage>
  /** Sends a form: `fields` beside those that the form of `path` has in it. */
  send(path: string, fields: Fields, headers?: Readonly<Record<string, string>>): Promise<ReadPage>
}

/** The fields of a form that is sent. */
export type Fields = Readonly<Record<string, string>>

const FORM = 'application/x-www-form-urlencoded'

/** Returns somebody who reads pages with a cookie; without one nobody is signed in. */
export function visitorOf(served: Pick<Mounted, 'send'>, cookie?: string): Visitor {
  const own = { accept: 'text/html', ...(cookie !== undefined && { cookie }) }
  const asked = async (sent: Parameters<Mounted['send']>[0]): Promise<ReadPage> => {
    const answer = await served.send(sent)
    return { ...answer, page: parse(answer.text) }
  }
  return {
    get: (path) => asked({ path: addressOf(path), headers: own }),
    send: (path, fields, headers = {}) =>
      asked({
        method: 'POST',
        path: addressOf(path),
        headers: { ...own, 'content-type': FORM, ...headers },
        body: `${new URLSearchParams(fields)}`,
      }),
  }
}

const addressOf = (path: string): string => (path === '' ? '/console' : `/console/${path}`)

/** Returns the fields of a form as a browser would send them untouched. */
export function filledIn(form: HTMLElement): Fields {
  const fields: Record<string, string> = {}
  for (const input of form.querySelectorAll('input,textarea')) {
    const name = input.getAttribute('name')
    if (name !== undefined) fields[name] = input.getAttribute('value') ?? input.textContent
  }
  for (const select of form.querySelectorAll('select')) {
    const chosen = select.querySelector('option[selected]') ?? select.querySelector('option')
    fields[select.getAttribute('name') ?? ''] = chosen?.getAttribute('value') ?? chosen?.textContent ?? ''
  }
  return fields
}

/** Returns the one form of a page that runs an operation. */
export function formOf({ page }: ReadPage): HTMLElement {
  const form = page.querySelector('form.run')
  if (form === null) throw new Error(`the page has no form: ${page.querySelector('main')?.textContent}`)
  return form
}

/** Returns a value as a person types it into the fields of a form, by their names. */
export function typed(input: object, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) => typedField(`${prefix}${name}`, value)),
  )
}

function typedField(name: string, value: unknown): (readonly [string, string])[] {
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== 'object')) return [[name, value.join('\n')]]
    return value.flatMap((row, at) => Object.entries(typed(row, `${name}.${at}.`)))
  }
  if (typeof value === 'object' && value !== null) return Object.entries(typed(value, `${name}.`))
  if (typeof value === 'boolean') return [[name, value ? 'yes' : 'no']]
  return [[name, String(value)]]
}
