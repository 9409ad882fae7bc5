-- Refuses a request if the browser says that another site makes it (contract 2.10), because it carries the cookie. Only requests that
-- change something get here.

-- Returns an origin as browsers write it.
local function normal(origin)
  return (origin:lower():gsub("^(http://.*):80$", "%1"):gsub("^(https://.*):443$", "%1"))
end

local function is_allowed(origin, request)
  for _, allowed in ipairs(request:filterContext():get("allowedOrigins")) do
    -- * names no site, so it does not allow requests with the customer's cookie.
    if origin == allowed or (allowed == "*" and not request:headers():get("cookie")) then return true end
  end
  return false
end

local function is_from_another_site(request)
  local headers = request:headers()
  local origin, site = headers:get("origin"), headers:get("sec-fetch-site")
  if origin and is_allowed(origin, request) then return false end
  if site and site ~= "same-origin" and site ~= "none" then return true end
  local own = headers:get("x-forwarded-proto") .. "://" .. headers:get(":authority")
  return origin ~= nil and normal(origin) ~= normal(own)
end

function envoy_on_request(request)
  -- Envoy would forward the request after an error.
  local succeeded, refused = pcall(is_from_another_site, request)
  if refused or not succeeded then request:respond({[":status"] = "403"}, "") end
end
