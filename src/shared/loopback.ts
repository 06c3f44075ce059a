/** True if the host, from a URL or a listening server, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/\.$/, '')
  const isName = name === 'localhost' || name.endsWith('.localhost')
  return isName || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
