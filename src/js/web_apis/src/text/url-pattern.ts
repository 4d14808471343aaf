// URLPattern is that of urlpattern-polyfill.
import { URLPattern } from "urlpattern-polyfill/urlpattern";
import { exposeAsIs } from "../base/webidl.js";

exposeAsIs(URLPattern as never, "URLPattern");
