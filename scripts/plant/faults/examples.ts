import type { Fault } from '../fault.ts'

const SUITES = ['packages/http/test/openapi/examples.test.ts']
/** The suite that makes the document anew. */
const ANEW = ['test/docs-generated.test.ts']

/** Mistakes of the examples in the API document. */
export const faults: readonly Fault[] = [
  {
    name: 'examples: a license key stands in the document',
    file: 'scripts/generate/shown-examples.ts',
    find: "  [/^(svc(?:at|b|e)?_)[\\w-]{40,60}$/, '$1…'],\n",
    replace: '',
    suites: SUITES,
  },
  {
    name: 'examples: lists are as long as they were',
    file: 'scripts/generate/shown-examples.ts',
    find: 'value.slice(0, most)',
    replace: 'value.slice(0, most * 100)',
    suites: SUITES,
  },
  {
    name: 'examples: refusals pass for answers',
    file: 'scripts/generate/examples.ts',
    find: 'status < 300',
    replace: 'status < 500',
    suites: ANEW,
  },
  {
    name: 'examples: an answer stands under another status',
    file: 'packages/http/src/openapi/openapi-writer.ts',
    find: 'status === String(example?.status) ? example?.answer : undefined',
    replace: 'status === String(example?.status) ? undefined : example?.answer',
    suites: SUITES,
  },
  {
    name: 'examples: the document tells a field that the route leaves out',
    file: 'packages/http/src/routes/email-domains.ts',
    find: "    leavesOut: 'created',\n",
    replace: '',
    suites: ANEW,
  },
  {
    name: 'examples: times that were measured stand in the document',
    file: 'scripts/generate/shown-examples.ts',
    find: 'if (MEASURED.has(name)) return',
    replace: 'if (MEASURED.has(`${name}?`)) return',
    suites: SUITES,
  },
]
