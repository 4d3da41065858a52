global using Acme.Shop.Models;
global using Xunit;
