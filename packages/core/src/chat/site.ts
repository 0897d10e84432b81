/**
 * The site's own origins when nobody names others (spec, Chat origin rule): the address of the service
 * itself, and https on its host, on `www.` and on `docs.` before it where the host is a name. None without an
 * address.
 */
export function siteOrigins(publicUrl: string | undefined): readonly string[] {
  if (publicUrl === undefined) return []
  const { origin, host } = new URL(publicUrl)
  const origins = [origin, `https://${host}`, `https://www.${host}`, `https://docs.${host}`]
  // Nothing can stand before an IP address.
  return [...new Set(origins.filter((each) => URL.canParse(each)))]
}

/** The hosts that answers may link to: those of the site, and of the sites that embed the chat. */
export function siteHosts(
  publicUrl: string | undefined,
  allowedOrigins: readonly string[],
): ReadonlySet<string> {
  return new Set([...siteOrigins(publicUrl), ...allowedOrigins].map((origin) => new URL(origin).host))
}
