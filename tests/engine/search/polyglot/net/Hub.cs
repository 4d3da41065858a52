using System.Threading.Tasks;

namespace Net
{
    internal class Hub : Node
    {
        [Obsolete("parcel")]
        public async Task<int> RelayParcelAsync(string parcel)
        {
            await Task.Delay(5);
            return parcel.Length;
        }
    }
}
