import { route } from '@react-router/dev/routes'

export default [route(':language', 'routes/language.jsx')]
