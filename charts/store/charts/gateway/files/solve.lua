-- Asks auth by the specified call (contract 3.1) whose token it is. Without an identity the next filter refuses the request.
local name = "__store_jwt_token"

-- Takes linear time for any text.
local function trim(text)
  return text:find("^%s*$") and "" or text:match("^%s*(.*%S)")
end

-- Returns the value of the token cookie, trimmed and without quotes around it; nil if there are different values, or if it cannot be
-- a token.
local function token_in(cookies)
  local found
  for key, value in cookies:gmatch("([^;,=]*)=?([^;,]*)") do
    if trim(key) == name then
      value = trim(value)
      value = value:match('^"(.*)"$') or value
      if found and found ~= value then return nil end
      found = value
    end
  end
  return found and not found:find("[^!-~]") and found or nil
end

-- Returns idAccount of a JSON object; nil if it is absent or repeated. Quotes inside of a text are escaped, so they do not match.
local function account_in(body)
  local _, count = body:gsub('"idAccount"', "")
  return count == 1 and body:match('^%s*{.*"idAccount"%s*:%s*"([%x-]+)"') or nil
end

local function identify(request)
  local token = token_in(request:headers():get("cookie"))
  if not token then return end
  local call = {
    [":method"] = "POST", [":path"] = "/auth/solve", [":authority"] = "auth",
    ["content-type"] = "application/json", accept = "application/json",
    ["x-request-id"] = request:headers():get("x-request-id"),
    -- A check changes nothing, so it is safe to repeat. Envoy removes both headers.
    ["x-envoy-retry-on"] = "connect-failure,reset", ["x-envoy-max-retries"] = "1",
  }
  local body = '{"token":"' .. token:gsub('[\\"]', "\\%0") .. '"}'
  local answer, text = request:httpCall("auth", call, body, {{ mul .Values.timeouts.check 1000 }})
  local status = tonumber(answer[":status"])
  if status >= 500 then error("auth answered " .. status) end
  local account = status < 300 and text and account_in(text)
  if not account then return end
  request:headers():replace("id-account", account)
  request:headers():replace("authorization", "Bearer " .. token)
end

function envoy_on_request(request)
  -- Envoy would forward the request after an error.
  if not pcall(identify, request) then request:respond({[":status"] = "503"}, "") end
end
