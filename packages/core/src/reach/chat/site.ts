/**
 * Returns the site's own origins for settings that name none (spec, Chat origin rule): the service's address,
 * and https on its host and, if the host is a name, on `www.` and `docs.` before it. Empty without an
 * address.
 */
export function siteOrigins(publicUrl: string | undefined): readonly string[] {
  if (publicUrl === undefined) return []
  const { origin, host } = new URL(publicUrl)
  const origins = [origin, `https://${host}`, `https://www.${host}`, `https://docs.${host}`]
  // An IP address takes no prefix.
  return [...new Set(origins.filter((each) => URL.canParse(each)))]
}

/** Returns the hosts that answers may link to: hosts of the site, and of sites that embed the chat. */
export function siteHosts(
  publicUrl: string | undefined,
  allowedOrigins: readonly string[],
): ReadonlySet<string> {
  return new Set([...siteOrigins(publicUrl), ...allowedOrigins].map((origin) => new URL(origin).host))
}
