/** Whether a host, as an address or a listener names it, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/\.$/, '')
  const isName = name === 'localhost' || name.endsWith('.localhost')
  return isName || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
