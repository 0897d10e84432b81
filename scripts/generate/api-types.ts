import { OPERATIONS } from '@svc/core'
import { openApiDocument } from '@svc/http'

/** The words of JSON Schema that the API document has. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly description?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly paths: Readonly<Record<string, { readonly post?: Call }>>
}

type Content = { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
interface Call {
  readonly requestBody?: Content
  readonly responses: { readonly 200?: Content }
}

const INTRODUCTION = `// Written from the operations (\`npm run generate\`); change their shapes, not this file.

/** The documents of the API as types: \`docs/reference/openapi.json\` has the same names, with all limits. */
`

/** A field of confirmed operations over HTTP, which \`runFor\` takes beside the input. */
const BESIDE_INPUT = 'confirmation'
const NAME = /^[A-Za-z_$][\w$]*$/

const WORDS: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Readonly<Record<string, unknown>>',
  array: 'readonly unknown[]',
}

const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/[\\']/g, '\\$&')}'` : JSON.stringify(value)
const keyOf = (name: string): string => (NAME.test(name) ? name : quoted(name))
const union = (parts: readonly string[]): string => [...new Set(parts)].join(' | ')
const listed = (item: string): string =>
  item.includes(' | ') ? `readonly (${item})[]` : `readonly ${item}[]`

/** Writes the types of one side: optional fields of an input may also be given as undefined. */
class TypeWriter {
  readonly #isInput: boolean

  constructor(isInput: boolean) {
    this.#isInput = isInput
  }

  /** The type of a schema; one that says nothing is of any type. @throws TypeError for an unknown word */
  type(schema: Schema, indent = ''): string {
    const { $ref, type, items, anyOf, oneOf } = schema
    if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
    if (schema.enum !== undefined) return union(schema.enum.map(quoted))
    if (schema.const !== undefined) return quoted(schema.const)
    const choice = anyOf ?? oneOf
    if (choice !== undefined) return union(choice.map((each) => this.type(each, indent)))
    if (Array.isArray(type)) return union(type.map((each) => this.type({ ...schema, type: each }, indent)))
    if (type === 'array' && items !== undefined) return listed(this.type(items, indent))
    if (type === 'object') return this.#object(schema, indent)
    if (type === undefined) return 'unknown'
    const word = WORDS[String(type)]
    if (word === undefined) throw new TypeError(`no type is known for ${JSON.stringify(schema)}`)
    return word
  }

  /** The fields of an object, one a line. */
  fields({ properties = {}, required = [] }: Schema, indent: string): string {
    const inner = `${indent}  `
    return Object.entries(properties)
      .map(([name, field]) => {
        const isRequired = required.includes(name)
        const type = `${this.type(field, inner)}${!isRequired && this.#isInput ? ' | undefined' : ''}`
        const told = field.description === undefined ? '' : `${inner}/** ${field.description} */\n`
        return `${told}${inner}readonly ${keyOf(name)}${isRequired ? '' : '?'}: ${type}\n`
      })
      .join('')
  }

  #object(schema: Schema, indent: string): string {
    const { properties, additionalProperties } = schema
    if (properties !== undefined && Object.keys(properties).length > 0)
      return `{\n${this.fields(schema, indent)}${indent}}`
    if (typeof additionalProperties === 'object')
      return `Readonly<Record<string, ${this.type(additionalProperties, indent)}>>`
    return properties === undefined ? (WORDS.object ?? '') : 'Readonly<Record<string, never>>'
  }
}

const ANSWER = new TypeWriter(false)
const INPUT = new TypeWriter(true)

function named([name, schema]: readonly [string, Schema]): string {
  const told = schema.description === undefined ? '' : `/** ${schema.description} */\n`
  if (schema.type !== 'object' || schema.properties === undefined)
    return `${told}export type ${name} = ${ANSWER.type(schema)}\n`
  return `${told}export interface ${name} {\n${ANSWER.fields(schema, '')}}\n`
}

function withoutConfirmation(schema: Schema): Schema {
  const { [BESIDE_INPUT]: _, ...properties } = schema.properties ?? {}
  return { ...schema, properties }
}

/** Returns the module with the types of all operations and of the documents that they answer with. */
export function apiTypes(): string {
  const { components, paths } = openApiDocument() as unknown as Document
  const operations = OPERATIONS.map(({ name, summary }) => {
    const call = paths[`/api/v1/operations/${name}`]?.post
    const input = call?.requestBody?.content['application/json'].schema
    const answer = call?.responses[200]?.content['application/json'].schema
    if (input === undefined || answer === undefined) throw new TypeError(`${name} is not in the API document`)
    const told = `  /** ${summary[0]?.toUpperCase()}${summary.slice(1)}. */\n`
    const types = [
      `    readonly input: ${INPUT.type(withoutConfirmation(input), '    ')}\n`,
      `    readonly answer: ${ANSWER.type(answer, '    ')}\n`,
    ]
    return `${told}  readonly '${name}': {\n${types.join('')}  }\n`
  })
  // The document of refusals is no answer of an operation.
  const documents = Object.entries(components.schemas).filter(([name]) => name !== 'Error')
  return `${INTRODUCTION}
${documents.map(named).join('\n')}
/** The input and the answer of each operation, by its name. */
export interface OperationTypes {
${operations.join('')}}

/** The name of an operation. */
export type OperationName = keyof OperationTypes
/** The input of an operation; of a name that is known only at run time, anything. */
export type OperationInput<Name extends string> = Name extends OperationName
  ? OperationTypes[Name]['input']
  : unknown
/** The answer of an operation; of a name that is known only at run time, a JSON document. */
export type OperationAnswer<Name extends string> = Name extends OperationName
  ? OperationTypes[Name]['answer']
  : Readonly<Record<string, unknown>>
`
}
