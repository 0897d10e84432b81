import type { Fault } from '../fault.ts'

const LOGIN = 'packages/cli/test/program/login.test.ts'
const CONNECT = 'packages/cli/test/program/connect.test.ts'
const CONTEXTS = 'packages/cli/src/connect/contexts.ts'
const REACH = 'packages/cli/src/connect/connect.ts'

export const faults: readonly Fault[] = [
  {
    name: 'contexts: anybody on the machine reads the sessions',
    file: CONTEXTS,
    find: '{ mode: 0o600 }',
    replace: '{ mode: 0o644 }',
    suites: [LOGIN],
  },
  {
    name: 'contexts: a sign-out keeps the session',
    file: CONTEXTS,
    find: 'const { session: _, ...context } =',
    replace: 'const context: Kept["contexts"][string] =',
    suites: [LOGIN],
  },
  {
    name: 'contexts: a sign-in does not choose',
    file: CONTEXTS,
    find: 'await write(home, { current: name, contexts: { ...kept.contexts, [name]: context } })',
    replace: 'await write(home, { ...kept, contexts: { ...kept.contexts, [name]: context } })',
    suites: [LOGIN],
  },
  {
    name: 'contexts: an unknown name leaves no context',
    file: CONTEXTS,
    find: 'if (!Object.hasOwn(contexts, name)) throw unknown(name)\n  await write(home, { current: name, contexts })',
    replace: 'await write(home, { current: name, contexts })',
    suites: [LOGIN],
  },
  {
    name: 'contexts: a sign-out forgets the address',
    file: CONTEXTS,
    find: 'await write(home, { ...kept, contexts: { ...kept.contexts, [nameOf(origin)]: context } })',
    replace: 'await write(home, { contexts: {} })',
    suites: [LOGIN],
  },
  {
    name: 'contexts: the current one wins over the folder',
    file: REACH,
    find: 'if (existsSync(resolve(cwd, DEFAULT_DATA_DIR))) {',
    replace: 'if ((await currentContext(io)) === undefined && existsSync(resolve(cwd, DEFAULT_DATA_DIR))) {',
    suites: [CONNECT],
  },
  {
    name: 'contexts: nobody is told which control plane changes',
    file: REACH,
    find: 'if (!isSaid && CHANGING_OPERATIONS.has(name))',
    replace: 'if (isSaid && CHANGING_OPERATIONS.has(name))',
    suites: [LOGIN],
  },
  {
    name: 'contexts: the database wins over SERVICE_URL',
    file: REACH,
    find: "if (serviceUrl !== undefined) return { by: 'url', url: serviceUrl }",
    replace: "if (serviceUrl !== undefined && !set(env.DATABASE_URL)) return { by: 'url', url: serviceUrl }",
    suites: [CONNECT],
  },
]
