// The form of every operation, made from its schema. The inputs are those of the access tests: a new
// operation is among them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { OPERATIONS } from '@svc/core'
import { OPERATION_ENTRIES } from '../../../../test/support/features.ts'
import { unlimited } from '../../../../test/support/unlimited.ts'
import { formFields } from '../../src/console/fields.ts'
import { fieldsOf, isOmissible, type Shape } from '../../src/exchange/body/shape.ts'
import { memoryGlass } from '../authorization/contents.ts'
import { stagedWorld, type World } from '../authorization/world.ts'
import { type Fields, filledIn, formOf, typed, type Visitor, visitorOf } from './console-client.ts'

const NAMES = OPERATIONS.map(({ name }) => name)
/** Hidden fields and those that the console asks for itself. */
const OWN = ['form', 'back', 'typed', 'own.password', 'own.code']

describe('the form of an operation', () => {
  let world: World
  let visitor: Visitor
  beforeAll(async () => {
    world = await stagedWorld(memoryGlass, { rateCounter: unlimited })
    visitor = visitorOf(world, world.cookies.admin)
  }, 60_000)
  afterAll(async () => world[Symbol.asyncDispose]())

  it.each(NAMES)('has the fields of the schema: %s', async (name) => {
    const operation = OPERATIONS.find((each) => each.name === name)
    const form = formOf(await visitor.get(`do/${name}`))
    const controls = form.querySelectorAll('input,select,textarea')
    const shown = new Set(controls.map((each) => String(each.getAttribute('name')).split('.')[0]))
    const expected = fieldsOf(operation?.input as Shape).map(([field]) => field)
    expect([...shown].filter((field) => !OWN.includes(field ?? '') && field !== 'own').sort()).toEqual(
      expected.sort(),
    )
    for (const [field, shape] of fieldsOf(operation?.input as Shape)) {
      const control = controls.find((each) => each.getAttribute('name') === field)
      if (control !== undefined)
        expect([field, control.hasAttribute('required')]).toEqual([field, !isOmissible(shape)])
    }
    for (const control of controls.filter((each) => each.getAttribute('type') !== 'hidden')) {
      const isNamed =
        control.hasAttribute('aria-label') ||
        form.querySelector(`label[for="${control.getAttribute('id')}"]`) !== null
      expect([control.getAttribute('name'), isNamed]).toEqual([control.getAttribute('name'), true])
    }
  })

  it('asks for no value in JSON whose schema says more', () => {
    const inJson = OPERATIONS.flatMap(({ name, input }) =>
      formFields(input as Shape)
        .filter(({ kind }) => kind.type === 'json')
        .map((field) => `${name} ${field.name}`),
    )
    expect(inJson).toEqual(['jobs.enqueue payload', 'surface.scan ports', 'browser.run result_schema'])
  })

  it.each(NAMES)('gives the operation the input that was typed: %s', async (name) => {
    const entry = OPERATION_ENTRIES[name]
    const input = entry?.input(world) ?? {}
    const seen: unknown[] = []
    const { operations } = world.plane
    const run = operations.runFor.bind(operations)
    operations.runFor = async (caller, asked, given, ...rest) => {
      if (asked === name) seen.push(given)
      return run(caller, asked, given, ...rest)
    }
    try {
      const form = filledIn(formOf(await visitor.get(`do/${name}`)))
      const fields: Fields = { ...form, ...typed(input), typed: subjectOf(name, input) }
      await visitor.send(`do/${name}`, fields)
    } finally {
      operations.runFor = run
    }
    expect(seen).toEqual([withoutTimes(input)])
  })
})

/** Returns the value that has to be typed twice. */
function subjectOf(name: string, input: object): string {
  const operation = OPERATIONS.find((each) => each.name === name)
  const [field = ''] = fieldsOf(operation?.input as Shape).find(([, shape]) => !isOmissible(shape)) ?? []
  return String((input as Readonly<Record<string, unknown>>)[field] ?? '')
}

const withoutTimes = (input: object): object => input
