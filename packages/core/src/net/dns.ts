/** Port to name resolution, for calls to hosts that somebody else named. */
export interface Resolver {
  /**
   * All addresses of a host, IPv4 and IPv6, each in its plain spelling. `host` is a lower-case name without a
   * trailing dot, never an IP literal. Rejects or answers an empty list when there are none; `signal` ends a
   * question early.
   */
  resolve(host: string, signal?: AbortSignal): Promise<readonly string[]>
}
