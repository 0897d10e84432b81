import type { Fault } from '../fault.ts'

const ROUTE = 'packages/http/src/routes/remote-operations.ts'
const DOCUMENT = 'packages/http/src/openapi/openapi-writer.ts'
const SUITE = ['packages/http/test/openapi']
/** The suite of the document itself. */
const OF_DOCUMENT = ['packages/http/test/openapi/openapi.test.ts']

/** Mistakes in the API document's entries for operations. */
export const faults: readonly Fault[] = [
  {
    name: 'documents: operations have no paths of their own',
    file: ROUTE,
    find: '    calls,\n',
    replace: '    calls: calls.slice(1),\n',
    suites: SUITE,
  },
  {
    name: 'documents: the confirmation is left out',
    file: ROUTE,
    find: '...(confirmed && { beside',
    replace: '...(!confirmed && { beside',
    suites: SUITE,
  },
  {
    name: 'documents: an operation for tenants is said to be for staff',
    file: ROUTE,
    find: "scope === 'tenant' ?",
    replace: "scope !== 'tenant' ?",
    suites: SUITE,
  },
  {
    name: 'documents: operations that are closed to tokens are not said to be',
    file: ROUTE,
    find: 'confirmed || personal ?',
    replace: 'confirmed && personal ?',
    suites: SUITE,
  },
  {
    name: 'documents: the fields of an input are not told',
    file: DOCUMENT,
    find: '...Object(properties), ...more',
    replace: '...more',
    suites: SUITE,
  },
  {
    name: 'documents: an answer is described as that of another operation',
    file: 'packages/core/src/people/tenants/tenant-operations.ts',
    find: 'answer: { tenant },',
    replace: 'answer: { tenants: listOf(tenant, 9) },',
    suites: SUITE,
  },
  {
    name: 'documents: a field of an answer is not told',
    file: 'packages/core/src/work/jobs/job-answers.ts',
    find: '  attempt: count,\n  offset: count,\n',
    replace: '  attempt: count,\n',
    suites: SUITE,
  },
  {
    name: 'documents: an answer in a list is described by another type',
    file: 'packages/core/src/watch/monitors/monitor-answers.ts',
    find: '  expected: optional(answer),',
    replace: '  expected: optional(word),',
    suites: SUITE,
  },
  {
    name: 'documents: shapes with a name are written out everywhere',
    file: 'packages/http/src/exchange/body/shape.ts',
    find: 'name === undefined || components === undefined',
    replace: 'name !== undefined || components === undefined',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: a second shape of a name hides behind the first',
    file: 'packages/http/src/exchange/body/shape.ts',
    find: '!isSamePart(known, schema)',
    replace: 'typeof known !== typeof schema',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: a second reply of a name hides behind the first',
    file: DOCUMENT,
    find: '!isDeepStrictEqual(known, described)',
    replace: 'typeof known !== typeof described',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: an alias of an agent route is not told',
    file: 'packages/http/src/openapi/openapi.ts',
    find: '...(agent && { servers: SERVERS }), ',
    replace: '',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: the form for license holders bears the name of its operation',
    file: DOCUMENT,
    find: 'return `${only}.licensed`',
    replace: 'return `${only}`',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: a job tells nothing of its payload',
    file: 'packages/core/src/work/jobs/job-answers.ts',
    find: "alsoOf(namedShape('ClaimedJob', CLAIMED), JOB_WORK)",
    replace: "namedShape('ClaimedJob', CLAIMED)",
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: an answer with another status of success is not told',
    file: 'packages/http/src/routes/operation-route.ts',
    find: "status < '3' && reply.body === undefined",
    replace: "status < '2' && reply.body === undefined",
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: a source of a deploy is told as any object',
    file: 'packages/core/src/kernel/validation.ts',
    find: '? known[word] : wordless',
    replace: '? wordless : wordless',
    suites: ['packages/core/test/work/jobs/job-payload.test.ts'],
  },
  {
    name: 'documents: the payload of a job stands where a generator loses its kinds',
    file: 'packages/http/src/exchange/body/shape.ts',
    find: '{ ...objectSchema(own, components), ...choiceSchema(choice.schema, components) }',
    replace: '{ allOf: [objectSchema(own, components), choiceSchema(choice.schema, components)] }',
    suites: ['test/generated-clients.test.ts'],
  },
  {
    name: 'documents: words with a name are written out wherever one is chosen',
    file: 'packages/core/src/kernel/validation.ts',
    find: "typeof words === 'object' && words !== null ? words : undefined",
    replace: "typeof words === 'bigint' ? Object(words) : undefined",
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: two lists of words have one name',
    file: 'packages/core/src/kernel/validation.ts',
    find: 'namedPartOf(one) === namedPartOf(other)',
    replace: 'nameOf(one) === nameOf(other)',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: an answer with a name is written out for each operation',
    file: 'packages/core/src/kernel/validation.ts',
    find: '  if (known !== undefined) return known as ShapeOf<S>\n',
    replace: '  if (known === fields) return known as ShapeOf<S>\n',
    suites: OF_DOCUMENT,
  },
  {
    name: 'documents: every query parameter is a text',
    file: DOCUMENT,
    find: 'told === undefined ? TEXT : jsonSchema(told, this.#components)',
    replace: 'told === undefined ? TEXT : { ...TEXT, ...(told.type === name && jsonSchema(told)) }',
    suites: OF_DOCUMENT,
  },
]
