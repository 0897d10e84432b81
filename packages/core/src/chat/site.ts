/**
 * The site's own origins when nobody names others (spec, Chat origin rule): the address of the service itself, and
 * https on its host, on `www.` and on `docs.` before it. None without an address.
 */
export function siteOrigins(publicUrl: string | undefined): readonly string[] {
  if (publicUrl === undefined) return []
  const { origin, host } = new URL(publicUrl)
  return [...new Set([origin, `https://${host}`, `https://www.${host}`, `https://docs.${host}`])]
}

/** The hosts that answers may link to: those of the site, and of the sites that embed the chat. */
export function siteHosts(
  publicUrl: string | undefined,
  allowedOrigins: readonly string[],
): ReadonlySet<string> {
  return new Set([...siteOrigins(publicUrl), ...allowedOrigins].map((origin) => new URL(origin).host))
}
