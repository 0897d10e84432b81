import { OPERATIONS } from '@svc/core'
import { openApiDocument, ROUTES } from '@svc/http'
import { dereferenced } from './dereferenced.ts'
import { type Described, fieldsTable, linkTo, type Schema } from './http-page.ts'
import { code, table } from './table.ts'

const INTRODUCTION = `# Operations

Written from the operations in the code (\`npm run generate\`); change that, not this page. The same for programs:
[openapi.json](openapi.json).

\`POST /api/v1/operations/{name}\` runs one, with a JSON object as its input: for people with a session, and for programs
with an [API token](../api-tokens.md). \`GET /api/v1/operations\` lists those that the caller may run. The commands run
the same operations. [Permissions](../operators.md#permissions) says which roles hold what.

- Scope \`tenant\`: also for a tenant's people and tokens, on what is their tenant's. Scope \`platform\`: for staff alone.
- Tokens \`no\`: for people alone. The ones with a password take \`confirmation\` beside their input.
- A change leaves a row in the [audit log](../security.md#the-audit-log).
`

const PATH = '/api/v1/operations/{name}'

type Operation = (typeof OPERATIONS)[number]

/** Returns the page of all operations: a table of contents, then the input and the answer of each. */
export function operationsPage(): string {
  const rows = OPERATIONS.map((operation) => [
    `[${operation.name}](#${operation.name.replaceAll('.', '')})`,
    operation.summary,
    operation.permission.replace('platform.', ''),
    operation.scope,
    operation.changes ? 'yes' : 'no',
    closedTo(operation),
  ])
  const head = ['Operation', 'What it does', 'Permission', 'Scope', 'Changes', 'Tokens']
  return [INTRODUCTION, `${table(head, rows)}\n`, ...OPERATIONS.map(sectionOf), ...NAMED].join('\n')
}

const closedTo = ({ confirmed, personal }: Operation): string =>
  confirmed ? 'no, password' : personal ? 'no' : 'yes'

function sectionOf({ name, summary }: Operation): string {
  const { requestBody, responses } = describedOf(name)
  const input = requestBody?.content['application/json']?.schema
  const answer = responses['200']?.content?.['application/json']?.schema
  const asked = input === undefined ? '' : fieldsTable(input)
  const told = answer?.$ref === undefined ? fieldsTable(answer ?? {}) : `${linkTo(answer.$ref)}.`
  const parts = [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    asked === '' ? 'It takes no input.' : `Input:\n\n${asked}`,
    told === '' ? '' : `Answer:\n\n${told}`,
  ]
  return `## ${name}\n\n${parts.filter((part) => part !== '').join('\n\n')}\n`
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly post: Described }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const WHOLE = openApiDocument(ROUTES.filter(({ path }) => path === PATH)) as Document & object
const isChoice = (schema: Schema | undefined): boolean => schema?.enum !== undefined
/** A shape has a section of its own; words that a field is one of stand beside the field. */
const isShape = (reference: string): boolean =>
  !isChoice(WHOLE.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)])
const { paths: PATHS, components } = dereferenced(WHOLE, isShape) as Document

/** Sections of the shapes that several answers share. A refusal stands on the page of HTTP. */
const NAMED = Object.entries(components.schemas)
  .filter(([name, schema]) => name !== 'Error' && !isChoice(schema))
  .map(([name, schema]) => `## ${name}\n\n${shapeOf(schema)}\n`)

/** Describes a shape: its fields, and the shapes that it is one of. */
function shapeOf({ oneOf = [], discriminator, ...own }: Schema): string {
  const links = oneOf.map(({ $ref = '' }) => linkTo($ref)).join(', ')
  const choice = `One of these, by its ${code(discriminator?.propertyName ?? '')}: ${links}.`
  return [fieldsTable(own), links === '' ? '' : choice].filter((part) => part !== '').join('\n\n')
}

function describedOf(name: string): Described {
  const found = PATHS[PATH.replace('{name}', name)]?.post
  if (found === undefined) throw new Error(`the API document does not know ${code(name)}`)
  return found
}
