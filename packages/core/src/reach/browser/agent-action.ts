import { optional } from 'superstruct'
import {
  anyText,
  choiceOf,
  field,
  flag,
  matching,
  namedShape,
  oneOf,
  read,
  shape,
  text,
  whole,
} from '../../kernel/validation.ts'

/** Keys that may be pressed. */
export const KEYS = [
  'Enter',
  'Tab',
  'Escape',
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'PageDown',
] as const
/** Ways to scroll. */
export const DIRECTIONS = ['up', 'down'] as const

const MAX_WAIT_MS = 5000
const MAX_URL_CHARS = 2048
const MAX_VALUE_CHARS = 4000
const MAX_ANSWER_CHARS = 8000

/** One step on a page. Text in `fill` may hold variables, `%name%`. */
export type PageStep =
  | { readonly type: 'navigate'; readonly url: string }
  | { readonly type: 'click'; readonly ref: string }
  | { readonly type: 'fill'; readonly ref: string; readonly value: string; readonly submit?: boolean }
  | { readonly type: 'select'; readonly ref: string; readonly value: string }
  | { readonly type: 'press'; readonly key: (typeof KEYS)[number] }
  | { readonly type: 'scroll'; readonly direction: (typeof DIRECTIONS)[number] }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'back' }

/** Everything that a model may ask for: a step, or words about the goal. */
export type AgentAction =
  | PageStep
  | { readonly type: 'extract'; readonly result: unknown }
  | { readonly type: 'done'; readonly answer: string; readonly result?: unknown }
  | { readonly type: 'fail'; readonly reason: string }

const anyJson = field<unknown>({}, (value) => value !== undefined, 'a JSON value')
const ref = matching(/^(?:f\d{1,5})?e\d{1,7}$/, 'a reference of the page, such as e12')
const value = text(0, MAX_VALUE_CHARS)

const SHAPES = {
  navigate: shape({ url: text(1, MAX_URL_CHARS) }),
  click: shape({ ref }),
  fill: shape({ ref, value, submit: optional(flag()) }),
  select: shape({ ref, value }),
  press: shape({ key: oneOf(KEYS) }),
  scroll: shape({ direction: oneOf(DIRECTIONS) }),
  wait: shape({ ms: whole(0, MAX_WAIT_MS) }),
  back: shape({}),
  extract: shape({ result: anyJson }),
  done: shape({ answer: text(0, MAX_ANSWER_CHARS), result: optional(anyJson) }),
  fail: shape({ reason: text(0, MAX_ANSWER_CHARS) }),
} as const

const isStepType = (type: string): boolean => !['extract', 'done', 'fail'].includes(type)

/** Names of the actions. */
export const ACTION_TYPES = Object.keys(SHAPES) as readonly AgentAction['type'][]

/** A step as it was taken, with the name of its element. */
export const takenAction = choiceOf<Readonly<Record<string, unknown>>>(
  'BrowserAction',
  'type',
  Object.fromEntries(
    Object.entries(SHAPES)
      .filter(([type]) => isStepType(type))
      .map(([type, { schema }]) => [
        type,
        namedShape(`Browser${type.charAt(0).toUpperCase()}${type.slice(1)}`, {
          type: oneOf([type]),
          ...schema,
          ...('ref' in schema && { label: optional(anyText()) }),
        }),
      ]),
  ),
)

/** The types of steps, which a caller may ask for itself. */
export const STEP_TYPES = ACTION_TYPES.filter(isStepType)

const kinds = shape({ type: oneOf(ACTION_TYPES) })

/**
 * Reads one action of the closed set; fields that it does not have are dropped.
 * @throws Problem `invalid-input`, which quotes nothing of the input
 */
export function readAction(given: unknown): AgentAction {
  const { type } = read(kinds, given)
  const { type: _, ...fields } = given as Readonly<Record<string, unknown>>
  return { type, ...(read(SHAPES[type] as (typeof SHAPES)['back'], fields) as object) } as AgentAction
}

/** Whether an action is a step on the page. */
export const isStep = (action: AgentAction): action is PageStep => STEP_TYPES.includes(action.type)
