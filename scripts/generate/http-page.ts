import { openApiDocument, ROUTES, type Route } from '@svc/http'
import { dereferenced } from './dereferenced.ts'
import { code, table } from './table.ts'

/** A JSON Schema as far as the pages print it. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly discriminator?: { readonly propertyName: string }
  readonly [keyword: string]: unknown
}

interface Content {
  readonly [type: string]: { readonly schema: Schema }
}

/** The part of the API document about one call. */
export interface Described {
  readonly requestBody?: { readonly content: Content }
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
  }[]
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers?: Readonly<Record<string, unknown>>
        readonly content?: Content
      }
    >
  >
}

const INTRODUCTION = `# HTTP

Written from the table of routes in the code (\`npm run generate\`); change that, not this page. The same for programs:
[openapi.json](openapi.json). What hosts do with these routes, in order and with examples: [agents](../agents.md).

Paths under \`/v1\` also answer under \`/api/v1\`; all others at their written path only. Bodies are JSON whatever the
Content-Type says, except that \`/login\` reads a form when it says so; unknown keys are ignored; optional fields are left out, never null. Every answer carries
\`Svc-Request-Id\` and \`Cache-Control: no-store\`. A refusal is \`{ "error": "…" }\`, with \`details\` when fields of the body
are wrong.
`

const CREDENTIALS: Readonly<Record<string, string>> = {
  licenseKey: 'license key as bearer',
  browserToken: '[browser token](../browser.md#tokens) as bearer',
  sendingKey: '[sending key](../email.md#send) as bearer',
  healthToken: '`SERVICE_HEALTH_TOKEN` as bearer, when set',
  metricsToken: '`SERVICE_METRICS_TOKEN` as bearer, when set',
  apiToken: '[API token](../api-tokens.md) as bearer',
  session: 'cookie `svc_session`',
  sharedSecret: 'a secret of the settings as bearer',
}

/** Returns the page of all routes: a table of contents, then the input and answers of each. */
export function httpPage(): string {
  const rows = ROUTES.map((route) => [
    route.method,
    `[${route.path}](#${anchorOf(route)})`,
    credentialsOf(route),
    route.summary,
  ])
  return [
    INTRODUCTION,
    `## Routes\n\n${table(['Method', 'Path', 'Credential', 'What it does'], rows)}\n`,
    ...ROUTES.map(sectionOf),
  ].join('\n')
}

const headingOf = ({ method, path }: Route): string => `${method} ${path}`

// Anchors as renderers make them: lower case, blanks as dashes, and no other characters than letters, digits,
// dashes and underscores.
const anchorOf = (route: Route): string =>
  headingOf(route)
    .toLowerCase()
    .replaceAll(' ', '-')
    .replaceAll(/[^\w-]/g, '')

function credentialsOf({ gate }: Route): string {
  const names = gate.security.map((name) => CREDENTIALS[name] ?? name)
  return names.length === 0 ? 'none' : names.join(' or ')
}

function sectionOf(route: Route): string {
  const operation = describedOf(route)
  const parts = [
    `${route.summary} Credential: ${credentialsOf(route)}.`,
    parametersOf(operation),
    bodyOf(operation),
    repliesOf(operation),
  ]
  return `## ${headingOf(route)}\n\n${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** The body of each refusal, which the introduction describes. */
const isRefusal = (reference: string): boolean => reference === '#/components/schemas/Error'

function describedOf(route: Route): Described {
  const { paths } = dereferenced(openApiDocument([route]), isRefusal) as {
    paths: Record<string, Record<string, Described>>
  }
  const found = paths[route.path]?.[route.method.toLowerCase()]
  if (found === undefined) throw new Error(`the API document does not know ${headingOf(route)}`)
  return found
}

function parametersOf({ parameters = [] }: Described): string {
  const told = parameters.filter(({ in: place }) => place !== 'path')
  const rows = told.map(({ name, in: place, description = '' }) => [code(name), place, description])
  return rows.length === 0 ? '' : table(['Parameter', 'In', 'Meaning'], rows)
}

function bodyOf({ requestBody }: Described): string {
  const schema = requestBody?.content['application/json']?.schema
  if (schema === undefined) return ''
  return fieldsTable(schema) || 'The body is a JSON object.'
}

/** Returns a table of the fields of a schema; empty if it has none. */
export function fieldsTable(schema: Schema): string {
  const rows = fieldsOf(schema, '')
  return rows.length === 0 ? '' : table(['Field', 'Required', 'Value'], rows)
}

function fieldsOf({ properties = {}, required = [] }: Schema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = field.type === 'array' ? (field.items ?? {}) : field
    const below = field.type === 'array' ? `${prefix}${name}[].` : `${prefix}${name}.`
    const row = [code(`${prefix}${name}`), required.includes(name) ? 'yes' : 'no', spelled(field)]
    return [row, ...fieldsOf(inner, below)]
  })
}

const BOUNDS: Readonly<Record<string, string>> = {
  minLength: 'at least % characters',
  maxLength: 'at most % characters',
  minimum: 'from %',
  maximum: 'to %',
  maxItems: 'at most % entries',
  format: '%',
  pattern: 'matching `%`',
}

/** Returns a link to the section of a shape on the same page. */
export function linkTo(reference: string): string {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return `[${name}](#${name.toLowerCase()})`
}

function spelled(schema: Schema): string {
  if (schema.$ref !== undefined) return linkTo(schema.$ref)
  if (schema.items?.$ref !== undefined) return `array of ${linkTo(schema.items.$ref)}`
  if (schema.enum !== undefined) return `one of ${schema.enum.map((word) => code(String(word))).join(', ')}`
  const bounds = Object.entries(BOUNDS)
    .filter(([keyword]) => isTelling(keyword, schema[keyword]))
    .map(([keyword, text]) => text.replace('%', () => String(schema[keyword])))
    .map((text) => (text === 'at least 1 characters' ? 'not empty' : text))
  const type = [schema.type ?? 'any value'].flat().join(' or ')
  return [type, ...bounds].join(', ').replace(/(from \S+), (to )/, '$1 $2')
}

// Bounds that every number or text has say nothing to a reader.
function isTelling(keyword: string, value: unknown): boolean {
  if (value === undefined) return false
  if (keyword === 'minLength') return value !== 0
  return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER
}

/** Returns the fields of a JSON answer, or the media type of another answer. */
function answered(content: Content): readonly string[] {
  const { 'application/json': json, ...others } = content
  return json === undefined ? Object.keys(others) : Object.keys(json.schema.properties ?? {})
}

function repliesOf({ responses }: Described): string {
  const rows = Object.entries(responses).map(([status, { description, headers = {}, content = {} }]) => {
    const own = Object.keys(headers)
    return [status, description, answered(content).map(code).join(', '), own.map(code).join(', ')]
  })
  return table(['Status', 'Meaning', 'Body', 'Headers'], rows)
}
