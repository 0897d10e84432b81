/** Port to name resolution for outgoing calls. */
export interface Resolver {
  /**
   * Returns all IPv4 and IPv6 addresses of a host, each in its plain spelling. `host` is a lower-case name
   * without a trailing dot, never an IP literal. Rejects or returns an empty list if there are none; `signal`
   * cancels the lookup.
   */
  resolve(host: string, signal?: AbortSignal): Promise<readonly string[]>
}
