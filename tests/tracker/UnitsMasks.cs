// Which names look like those of secrets, by their words.
using Instrumenter;

static partial class Units
{
    static void MaskedNames()
    {
        string hidden = "pass PASS dbPass db_pass APIPass2 userpass auth x-auth isAuth OAuth2 oauthState bearer BearerValue cookie Set-Cookie cookies " +
                        "Cookies session SessionId session_key ASP.NET_SessionId PHPSESSID JSESSIONID otp smsOtp totp TOTPSeed pin PIN userPIN PINCode pinCode PINs " +
                        "cardPin2 connstr ConnStr connStrMain conn_str connectionStr DATABASE_URL dsn mainDsn DSN apikey ApiKey X-API-Key api_key credential Credentials cred " +
                        "creds AwsCreds cvc Cvv csrf xsrf-value jwt JwtBearer token Token X-Token token_value accessToken idTokens pwd pw userpwd Authorization " +
                        "clientSecret signing_key AccountKey masterKey passphrase pass-word";
        string shown = "compass author Author authority authored pinned spinner passenger bypass passage opinion Pinterest shopping sessionless obsession possession " +
                       "cooker bear forbear option adoption laptop dsnake incredible sacred dispatch " +
                       "cancellationToken CancellationToken stoppingToken " +
                       "syntaxToken metadata_token keyword monkey primaryKey key value name id count passengers compassion authentic happiness helpWdg Keep_Wd assess spin";
        Masks masks = new Masks();
        foreach (string name in hidden.Split(' '))
            Expect(masks.Hide(name), name + " is masked");
        foreach (string name in shown.Split(' '))
            Expect(!masks.Hide(name), name + " is not masked");
        masks.Add("!pin*");
        masks.Add("*compass*");
        Expect(!masks.Hide("pinCode") && masks.Hide("userPin") && masks.Hide("Encompassed"), "a pattern decides before words do");
    }
}
