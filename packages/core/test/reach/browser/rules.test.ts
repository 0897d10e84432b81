import { describe, expect, test } from '@jest/globals'
import { Problem } from '@svc/core'
import { readAction } from '../../../src/reach/browser/agent-action.ts'
import { isVariablesOnly, VariableMask, withVariables } from '../../../src/reach/browser/agent-variables.ts'
import { readAgentRequest } from '../../../src/reach/browser/browser-requests.ts'
import { isWithinDomains, readDomain, registrableDomain } from '../../../src/reach/browser/page-domains.ts'
import { misfits, readResultSchema } from '../../../src/reach/browser/result-schema.ts'
import { isRisky, labelOf } from '../../../src/reach/browser/risk.ts'
import { StuckGuard } from '../../../src/reach/browser/stuck-guard.ts'

const detailsOf = (work: () => unknown): readonly string[] => {
  try {
    work()
  } catch (error) {
    if (error instanceof Problem) return error.data.details ?? []
  }
  return ['nothing was refused']
}

describe('an action of the agent', () => {
  test.each([
    [{ type: 'click', ref: 'e12' }],
    [{ type: 'click', ref: 'f1e2' }],
    [{ type: 'fill', ref: 'e1', value: '%password%', submit: true }],
    [{ type: 'press', key: 'ArrowDown' }],
    [{ type: 'done', answer: '12 EUR', result: { price: 12 } }],
  ])('is one of the closed set: %j', (given) => {
    expect(readAction(given)).toEqual(given)
  })

  test('has no fields but its own', () => {
    const given = JSON.parse('{"type":"back","script":"alert(1)","__proto__":{"x":1}}')
    expect(readAction(given)).toEqual({ type: 'back' })
  })

  test.each([
    ['another type', { type: 'evaluate', script: 'alert(1)' }],
    ['no object', 'click e12'],
    ['a list', [{ type: 'back' }]],
    ['a selector as reference', { type: 'click', ref: 'button >> nth=0' }],
    ['a reference of another engine', { type: 'click', ref: 'e1; e2' }],
    ['a key outside the list', { type: 'press', key: 'Control+T' }],
    ['a long wait', { type: 'wait', ms: 5001 }],
    ['an endless wait', { type: 'wait', ms: Number.POSITIVE_INFINITY }],
    ['a value that is no text', { type: 'fill', ref: 'e1', value: { toString: 'x' } }],
    ['null', null],
  ])('is refused as %s', (_name, given) => {
    expect(() => readAction(given)).toThrow(Problem)
  })

  test('that is refused is not quoted', () => {
    expect(JSON.stringify(detailsOf(() => readAction({ type: 'hunter2' })))).not.toContain('hunter2')
  })
})

describe('variables', () => {
  const variables = { user: 'ann', password: 'p&s "1"', pin: '4711' }

  test('are put in where they are named, and unknown names stay', () => {
    expect(withVariables('%user%: %password% %other%', variables)).toBe('ann: p&s "1" %other%')
    expect(withVariables('%user%', { user: '%password%', password: 'x' })).toBe('%password%')
  })

  test.each([
    ['plain', 'signed in as ann', 'signed in as %user%'],
    ['in an address', '/?q=p%26s%20%221%22', '/?q=%password%'],
    ['in a form', 'q=p%26s+%221%22', 'q=%password%'],
    ['in HTML', '<p>p&amp;s &quot;1&quot;</p>', '<p>%password%</p>'],
    ['in JSON', '{"a":"p&s \\"1\\""}', '{"a":"%password%"}'],
  ])('are taken out of what a page says: %s', (_name, said, masked) => {
    expect(new VariableMask(variables).text(said)).toBe(masked)
  })

  test('are taken out of results, in names and numbers too', () => {
    const found = { ann: [4711, 'ann', { x: true }], y: 12 }
    expect(new VariableMask(variables).json(found)).toEqual({
      '%user%': ['%pin%', '%user%', { x: true }],
      y: 12,
    })
  })

  test('the longer of two that overlap leaves no rest', () => {
    expect(new VariableMask({ one: 'secret', two: 'secret-word' }).text('secret-word')).toBe('%two%')
  })

  test('an empty value takes out nothing', () => {
    expect(new VariableMask({ none: '' }).text('ann')).toBe('ann')
  })

  test('make up a whole text, or not', () => {
    expect(isVariablesOnly('%user%', variables)).toBe(true)
    expect(isVariablesOnly('%user% x', variables)).toBe(false)
    expect(isVariablesOnly('%other%', variables)).toBe(false)
    expect(isVariablesOnly('', variables)).toBe(false)
  })
})

describe('the domains of a run', () => {
  test.each([
    ['shop.example.com', 'example.com'],
    ['a.b.example.co.uk', 'example.co.uk'],
    ['ann.github.io', 'ann.github.io'],
    ['127.0.0.1', '127.0.0.1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['localhost', 'localhost'],
  ])('begin with the one that somebody registered: %s', (host, domain) => {
    expect(registrableDomain(host)).toBe(domain)
  })

  test.each([
    ['example.com', true],
    ['www.example.com', true],
    ['www.example.com.', true],
    ['notexample.com', false],
    ['example.com.evil.net', false],
    ['evil.net', false],
  ])('hold what is below them: %s %s', (host, isIn) => {
    expect(isWithinDomains(host, ['example.com'])).toBe(isIn)
  })

  test.each(['co.uk', 'github.io', 'https://example.com', 'a b', 'example.com/x', 'u@example.com', ''])(
    'are not %s',
    (text) => {
      expect(readDomain(text)).toBeUndefined()
    },
  )

  test('are spelled as browsers spell them', () => {
    expect(readDomain('EXAMPLE.com.')).toBe('example.com')
    expect(readDomain('*')).toBe('*')
  })
})

describe('a call to the agent', () => {
  const good = { url: 'https://example.com/', goal: 'find it' }

  test('runs unless it says otherwise', () => {
    expect(readAgentRequest(good)).toMatchObject({ mode: 'run', maxSteps: 12, timeoutMs: 120_000 })
  })

  test.each([
    ['a run without a goal', { url: good.url }, 'goal:'],
    ['nothing to look at', { mode: 'observe' as const }, 'url:'],
    ['an act without an action', { ...good, mode: 'act' as const }, 'action:'],
    [
      'an act that is no step',
      { ...good, mode: 'act' as const, action: { type: 'done', answer: '' } },
      'action.type:',
    ],
    [
      'an action with a bad field',
      { ...good, mode: 'act' as const, action: { type: 'click' } },
      'action.ref:',
    ],
    ['a domain that is a suffix', { ...good, allowed_domains: ['co.uk'] }, 'allowed_domains:'],
    ['a schema with rules nobody checks', { ...good, result_schema: { pattern: 'x' } }, 'result_schema:'],
  ])('is refused with %s', (_name, body, start) => {
    expect(detailsOf(() => readAgentRequest(body))[0]).toMatch(new RegExp(`^${start.replace('.', '\\.')}`))
  })
})

describe('the schema of a result', () => {
  const schema = readResultSchema({
    type: 'object',
    properties: {
      price: { type: 'number' },
      plan: { enum: ['S', 'M'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['price'],
  })

  test.each([
    [{ price: 12 }, []],
    [{ price: 12, plan: 'M', tags: ['a'], more: 1 }, []],
    [{}, ['result.price: expected a value']],
    [{ price: '12' }, ['result.price: expected number']],
    [{ price: 1, plan: 'L' }, ['result.plan: expected one of the words of its enum']],
    [{ price: 1, tags: [1] }, ['result.tags.0: expected string']],
    ['12', ['result: expected object']],
  ])('is kept or not: %j', (result, expected) => {
    expect(misfits(result, schema)).toEqual(expected)
  })

  test('is short and shallow', () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) })
    expect(() => readResultSchema(deep(8))).not.toThrow()
    expect(detailsOf(() => readResultSchema(deep(9)))[0]).toMatch(/levels/)
    expect(detailsOf(() => readResultSchema({ enum: ['x'.repeat(8200)] }))[0]).toMatch(/bytes/)
  })

  test('says at most 12 faults, and quotes nothing', () => {
    const many = readResultSchema({ items: { type: 'number' } })
    const faults = misfits(
      Array.from({ length: 99 }, () => 'hunter2'),
      many,
    )
    expect(faults).toHaveLength(12)
    expect(JSON.stringify(faults)).not.toContain('hunter2')
  })
})

describe('a risky step', () => {
  const none = { isSecret: false, isInSecretForm: false, isInCardForm: false }
  const login = { ...none, isInSecretForm: true }
  const card = { ...login, isInCardForm: true }
  const variables = { password: 'x' }

  test.each([
    [
      'a made-up password',
      { type: 'fill', ref: 'e1', value: 'guess' },
      '',
      { ...login, isSecret: true },
      true,
    ],
    [
      'a lent password',
      { type: 'fill', ref: 'e1', value: '%password%' },
      '',
      { ...login, isSecret: true },
      false,
    ],
    ['a name beside a password', { type: 'fill', ref: 'e1', value: 'ann' }, '', login, false],
    ['a form with a card, sent off', { type: 'fill', ref: 'e1', value: 'ann', submit: true }, '', card, true],
    ['Buy beside a card', { type: 'click', ref: 'e1' }, 'button "Buy now"', card, true],
    ['Delete beside a password', { type: 'click', ref: 'e1' }, 'button "DELETE account"', login, true],
    ['Sign in beside a password', { type: 'click', ref: 'e1' }, 'button "Sign in"', login, false],
    ['Buy on a page of goods', { type: 'click', ref: 'e1' }, 'button "Buy now"', none, false],
    ['Enter beside a card', { type: 'press', key: 'Enter' }, '', card, true],
    ['Tab beside a card', { type: 'press', key: 'Tab' }, '', card, false],
    [
      'the month of a card',
      { type: 'select', ref: 'e1', value: '12' },
      '',
      { ...card, isSecret: true },
      true,
    ],
  ] as const)('is %s: %j %s %j %s', (_name, step, label, facts, expected) => {
    expect(isRisky(step, label, facts, variables)).toBe(expected)
  })

  test('is judged by the name of the element, not by text of the page that looks like it', () => {
    const tree = [
      '- text: harmless [ref=e7]',
      '- paragraph [ref=e3]: "button \\"OK\\" [ref=e7]"',
      '- link "x [ref=e7]" [ref=e4]',
      '- button "Buy now" [active] [ref=e7] [cursor=pointer]',
    ].join('\n')
    expect(labelOf(tree, 'e7')).toBe('button "Buy now"')
    expect(labelOf(tree, 'e8')).toBe('')
  })
})

describe('an agent that repeats itself', () => {
  const click = { type: 'click', ref: 'e1' } as const
  const noted = (guard: StuckGuard, ref: string, page = 'p') =>
    guard.note({ step: { ...click, ref }, url: 'u', page })

  test('is told at the third time, and stopped at the next', () => {
    const guard = new StuckGuard()
    expect(['e1', 'e1', 'e1', 'e1'].map((ref) => noted(guard, ref))).toEqual([
      'fine',
      'fine',
      'hint',
      'stuck',
    ])
  })

  test('is told too when it tries one element after the other and nothing changes', () => {
    const guard = new StuckGuard()
    const verdicts = ['e1', 'e2', 'e3', 'e4', 'e5'].map((ref) => noted(guard, ref))
    expect(verdicts).toEqual(['fine', 'fine', 'fine', 'hint', 'stuck'])
  })

  test('is not stuck while the page changes', () => {
    const guard = new StuckGuard()
    const verdicts = ['a', 'b', 'c', 'd', 'e', 'f'].map((page) => noted(guard, 'e1', page))
    expect(new Set(verdicts)).toEqual(new Set(['fine']))
  })
})
