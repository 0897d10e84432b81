import type { Fault } from '../fault.ts'

const CONSOLE = 'packages/http/src/console'
const SENDING = ['packages/http/test/console/sending.test.ts']
const PAGES = ['packages/http/test/console/pages.test.ts']
const HOSTILE = ['packages/http/test/console/hostile.test.ts']
const FIRST = ['packages/http/test/console/first.test.ts']
const SIGN_IN = ['packages/http/test/console/sign-in.test.ts']

/** Mistakes of the console. */
export const faults: readonly Fault[] = [
  {
    name: 'console: pages are read with every permission and in nobody’s scope',
    file: `${CONSOLE}/visit.ts`,
    find: 'plane.operations.runFor(caller, name, input, credentials, address)',
    replace: 'plane.operations.run(name, input, `${caller.user.email}${credentials ?? address ?? ""}`)',
    suites: SENDING,
  },
  {
    name: 'console: a form without a token is taken',
    file: `${CONSOLE}/sent-form.ts`,
    find: 'if (nonce === undefined)\n',
    replace: "if (nonce === undefined && form.has('form'))\n",
    suites: SENDING,
  },
  {
    name: 'console: a form of another session is taken',
    file: 'packages/core/src/people/sessions/session-cookie.ts',
    find: 'return sameSecret(seal, formSeal(id, nonce)) ? nonce : undefined',
    replace: 'return sameSecret(seal, formSeal(id, nonce)) ? nonce : nonce',
    suites: SENDING,
  },
  {
    name: 'console: a form of another site is taken',
    file: `${CONSOLE}/console.ts`,
    find: '  requireSameOrigin(visit.request)\n',
    replace: '',
    suites: SENDING,
  },
  {
    name: 'console: a form that is sent twice does its work twice',
    file: `${CONSOLE}/sent-form.ts`,
    find: 'limit: 1, windowSeconds: 86_400',
    replace: 'limit: 2, windowSeconds: 86_400',
    suites: SENDING,
  },
  {
    name: 'console: marks of direction and control characters reach the page',
    file: `${CONSOLE}/html.ts`,
    find: "if (typeof part === 'string') return tame(part)",
    replace: "if (typeof part === 'string') return part",
    suites: HOSTILE,
  },
  {
    name: 'console: texts are put into pages as they are',
    file: `${CONSOLE}/html.ts`,
    find: "if (typeof part === 'string') return tame(part)",
    replace:
      "if (typeof part === 'string') return Object.assign(new String(tame(part)), { isEscaped: true })",
    suites: HOSTILE,
  },
  {
    name: 'console: browsers keep pages after the sign-out',
    file: `${CONSOLE}/console.ts`,
    find: '    ...SAFETY,\n',
    replace: "    ...SAFETY,\n    'Cache-Control': 'private, max-age=60',\n",
    suites: PAGES,
  },
  {
    name: 'console: the second page of a narrowed list is of the whole list',
    file: `${CONSOLE}/listing.ts`,
    find: '{ ...kept, cursor: next }',
    replace: '{ ...(kept && {}), cursor: next }',
    suites: PAGES,
  },
  {
    name: 'console: a thing is ended without its name',
    file: `${CONSOLE}/run-page.ts`,
    find: 'form.get(OWN.typed)?.trim() === form.get(subject.name)?.trim()',
    replace: 'form.has(OWN.typed) && form.has(subject.name)',
    suites: SENDING,
  },
  {
    name: 'console: a page with a secret is compressed',
    file: `${CONSOLE}/console.ts`,
    find: '!answer.hasSecret && takesBrotli(request)',
    replace: 'takesBrotli(request)',
    suites: SENDING,
  },
  {
    name: 'console: a refused form has the secrets that were typed',
    file: `${CONSOLE}/form-view.ts`,
    find: "const value = isSecret ? '' : typedValue(kind, values(name))",
    replace: 'const value = typedValue(kind, values(name))',
    suites: SENDING,
  },
  {
    name: 'console: tries of a password in a form are not counted',
    file: `${CONSOLE}/run-page.ts`,
    find: '  await countTry(visit.request, visit.caller)\n',
    replace: '',
    suites: SENDING,
  },
  {
    name: 'console: the sign-in leads to any address',
    file: `${CONSOLE}/sign-in.ts`,
    find: "const next = ownPath(form?.get('next') ?? request.query('next')) ?? ''",
    replace: "const next = form?.get('next') ?? request.query('next') ?? ''",
    suites: SIGN_IN,
  },
  {
    name: 'console: a form has as many fields as its bytes allow',
    file: `${CONSOLE}/sent-form.ts`,
    find: 'if (fields > MOST_FIELDS) throw',
    replace: 'if (fields > 100 * MOST_FIELDS) throw',
    suites: SENDING,
  },
  {
    name: 'console: a stranger’s document is shown in tables of any size',
    file: `${CONSOLE}/cells.ts`,
    find: '.slice(0, MOST_COLUMNS)',
    replace: '',
    suites: HOSTILE,
  },
  {
    name: 'console: anybody may be the first administrator, again and again',
    file: 'packages/core/src/people/users/users-store-sql.ts',
    find: 'where not ${FIRST} and ${FREE}',
    replace: 'where ${FREE}',
    suites: ['packages/core/test/people/users/users-store.test.ts'],
  },
  {
    name: 'console: a code of the first administrator is good for ever',
    file: 'packages/core/src/people/sessions/first-code.ts',
    find: 'isOurs && time.readUInt32BE() > unixSeconds(now)',
    replace: 'isOurs',
    suites: FIRST,
  },
  {
    name: 'console: tries of the first code are not counted',
    file: `${CONSOLE}/first.ts`,
    find: '  await takeByAddress(request, TRIES)\n',
    replace: '',
    suites: FIRST,
  },
  {
    name: 'console: a command seals codes with a secret that nobody else knows',
    file: 'packages/cli/src/connect/in-process.ts',
    find: 'serves: false, ',
    replace: '',
    suites: ['packages/cli/test/console/served.test.ts'],
  },
]
