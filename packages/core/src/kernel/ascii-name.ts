import { domainToASCII } from 'node:url'

const FOREIGN = /[^\p{ASCII}]/u

/**
 * Returns a name with its international labels as A-labels, as the DNS has them: `bücher.example` becomes
 * `xn--bcher-kva.example`. A name without such labels is returned as it is; undefined for one that has no
 * such form.
 */
export function asciiName(name: string): string | undefined {
  if (!FOREIGN.test(name)) return name
  // A label alone, since `domainToASCII` would read a whole name of numbers as an address.
  const labels = name.split('.').map((label) => (FOREIGN.test(label) ? domainToASCII(label) : label))
  return labels.includes('') && !name.endsWith('.') ? undefined : labels.join('.')
}
