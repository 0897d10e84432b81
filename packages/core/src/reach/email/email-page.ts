import { field } from '../../kernel/validation.ts'

/** Largest and default page of every list of email. */
export const EMAIL_PAGE = { max: 100, fallback: 50 } as const

// Control characters end lines of a header, and marks of direction show another text than there is.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the check looks for these
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

/** Whether a text has neither control characters nor marks that turn the direction of writing. */
export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text)

/** A string of `min` to `max` characters without control characters. */
export const plainText = (min: number, max: number) =>
  field<string>(
    { type: 'string', ...(min > 0 ? { minLength: min } : {}), maxLength: max },
    (value) => typeof value === 'string' && value.length >= min && value.length <= max && isPrintable(value),
    `a string of ${min} to ${max} characters without control characters`,
  )
