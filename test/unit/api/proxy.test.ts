import { describe, expect, it } from 'vitest'
import { bypassesProxy, proxyFromEnvironment, proxyInWords } from '../../../src/api/proxy.ts'

describe('NO_PROXY, as curl and Go read it', () => {
  it.each([
    ['http://10.1.2.3', '10.0.0.0/8'],
    ['https://[fd12::1]', 'fd00::/8'],
    ['https://[fd12::1]', '[fd12::1]'],
    ['https://[fd12::1]', 'fd12::1'],
    ['https://[fd12::1]:8443', '[fd12::1]:8443'],
    ['https://[fd12::1]', 'FD12:0:0::1'],
    ['https://api.example.com', 'none,*'],
    ['https://api.example.com', 'example.com.'],
    ['https://api.example.com.', 'example.com'],
    ['https://api.example.com', '.example.com'],
    ['https://example.com', '.example.com'],
    ['https://api.example.com', '*.example.com'],
    ['https://api.example.com', ' other.org , Example.COM'],
    ['https://api.example.com', 'other.org example.com'],
    ['https://api.example.com', 'example.com:443'],
    ['http://10.1.2.3:8080', '10.1.2.3:8080'],
  ])('%s goes past the proxy with %s', (address, no) => {
    expect(bypassesProxy(new URL(address), no)).toBe(true)
  })

  it.each([
    ['https://api.example.com', undefined],
    ['https://api.example.com', ' , '],
    ['https://badexample.com', 'example.com'],
    ['https://api.example.com', 'example.com:8443'],
    ['http://11.1.2.3', '10.0.0.0/8'],
    ['http://10.1.2.3', '10.0.0.0/99'],
    ['http://10.1.2.3', '10.0.0.0/'],
    ['http://110.1.2.3', '10.1.2.3'],
    ['http://1.10.2.3', '10.2.3'],
    ['https://[fe12::1]', 'fd00::/8'],
    ['https://api.example.com', '.'],
  ])('%s goes through the proxy with %s', (address, no) => {
    expect(bypassesProxy(new URL(address), no)).toBe(false)
  })
})

describe('the proxy in words', () => {
  const https = new URL('https://api.example.com')
  const http = new URL('http://api.example.com')

  it.each([
    [https, { HTTPS_PROXY: 'http://p:1' }, 'HTTPS_PROXY'],
    [https, { https_proxy: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'https_proxy'],
    [https, { ALL_PROXY: 'http://p:1' }, 'ALL_PROXY'],
    [https, { http_proxy: 'http://p:1' }, 'http_proxy'],
    [http, { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'HTTP_PROXY'],
  ])('%s with %o names %s', (url, environment, variable) => {
    expect(proxyInWords(url, proxyFromEnvironment(environment) ?? {})).toBe(`through the proxy in ${variable}`)
  })

  it('names the option', () => {
    expect(proxyInWords(https, { https: 'http://p:1' })).toBe('through the proxy in the option `proxy`')
  })
})
